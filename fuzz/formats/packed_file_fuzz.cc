// The input is a list of changes (offset u16, value u8) to a small good packed file, whose hashes are then made to fit,
// so that the checks behind the hashes are reached. The first byte's lowest bit leaves the hashes as they are; its
// second bit cuts the file at the next two bytes.
#include <vector>

#include "formats/packed_example.h"
#include "formats/packed_file.h"
#include "support/reseal_packed.h"

namespace {

using namespace bolide;

void check_inside(const formats::PackedFile& file) {
  const auto inside = [&](Bytes span) {
    return span.data() >= file.bytes().data() && span.data() + span.size() <= file.bytes().data() + file.bytes().size();
  };
  for (const formats::PackedTensor& tensor : file.tensors()) {
    const u64 last = tensor.spec.shape.experts - 1;
    check(inside(tensor.all_codes) && inside(tensor.all_scales), "planes lie inside the file");
    check(inside(tensor.codes(last)) && inside(tensor.scales(last)), "experts lie inside the file");
  }
  (void)file.verify_contents();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const formats::PackedFile good = formats::example_in_memory().value();
  if (size < 3) return 0;
  std::vector<std::byte> file(good.bytes().begin(), good.bytes().end());
  for (std::size_t i = 3; i + 3 <= size; i += 3) {
    file[(data[i] | data[i + 1] << 8) % file.size()] = std::byte{data[i + 2]};
  }
  if ((data[0] & 1) == 0) test::reseal_packed(file);
  if ((data[0] & 2) != 0) file.resize((data[1] | data[2] << 8) % file.size());
  const Result<formats::PackedFile> packed = formats::PackedFile::from_memory("fuzz", file, nullptr);
  if (packed) check_inside(*packed);
  return 0;
}
