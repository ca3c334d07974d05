#include "convert/report.h"

#include <algorithm>

namespace bolide::convert {

void add_to_report(ConvertReport& report, const ClassReport& tensor) {
  const auto line = std::ranges::find_if(report.classes, [&](const ClassReport& other) {
    return other.tensor_class == tensor.tensor_class && other.from == tensor.from && other.to == tensor.to;
  });
  if (line == report.classes.end()) {
    report.classes.push_back(tensor);
    return;
  }
  line->tensors += tensor.tensors;
  line->bytes_in += tensor.bytes_in;
  line->bytes_out += tensor.bytes_out;
}

void add_engram_to_report(ConvertReport& report, u64 bytes) {
  add_to_report(
      report,
      {.tensor_class = "Engram rows", .from = "FP8", .to = "FP8", .tensors = 1, .bytes_in = bytes, .bytes_out = bytes});
}

}  // namespace bolide::convert
