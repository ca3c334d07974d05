// engram.json of an untrusted folder: any bytes give constants or an error.
#include "engram/constants.h"
#include "engram/hash.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace bolide::engram;
  const EngramShape shape = {.vocab_size = 3,
                             .compressed_vocab_size = 2,
                             .pad_id = 2,
                             .max_ngram = 3,
                             .n_heads = 2,
                             .head_dim = 32,
                             .layer_ids = {1},
                             .rows = {28}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto constants = parse_engram_constants(text, "fuzz", shape);
  if (!constants) return 0;
  for (const bolide::u64 row :
       row_numbers(constants->tables[0], ngram(*constants, std::vector<bolide::i32>{1, 0, -1}))) {
    bolide::check(row < constants->tables[0].rows, "accepted constants lead to rows of the table");
  }
  return 0;
}
