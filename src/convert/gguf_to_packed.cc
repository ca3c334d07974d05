#include "convert/gguf_to_packed.h"

#include <fmt/format.h>

#include "convert/gguf_tensor.h"

namespace bolide::convert {
namespace {

// What the file holds and the packed one does not.
void report_left_out(ConvertReport& report, const GgufModel& model, const ConvertOptions& options) {
  report.vision = model.skipped;
  if (options.with_draft) return;
  for (const GgufSource& source : model.tensors) {
    if (!source.spec.draft) continue;
    ++report.omitted_draft.count;
    report.omitted_draft.bytes += source.tensor->data.size();
  }
}

}  // namespace

PackInput pack_input(const GgufModel& model, const ConvertOptions& options) {
  PackInput input{.name = model.path, .documents = model.documents};
  for (const GgufSource& source : model.tensors) {
    if (source.spec.draft && !options.with_draft) continue;
    model::TensorSpec spec = source.spec;
    spec.packed.type = packed_type(spec, *source.tensor);
    const std::string& path = (source.spec.draft && model.draft != nullptr ? model.draft : model.target)->path();
    input.tensors.push_back({.spec = spec,
                             .from = std::string(formats::name(source.tensor->type)),
                             .convert = [spec, &tensor = *source.tensor, &path](const Append& append) {
                               Result<TensorConversion> done = convert_gguf_tensor(spec, tensor, append);
                               if (done) return done;
                               return Result<TensorConversion>(
                                   Error{fmt::format("{}: {}", path, done.error().message)});
                             }});
  }
  input.engram_tables = model.engram_rows;
  return input;
}

Result<PackedModel> convert_to_files(const GgufModel& model, const std::string& path, const ConvertOptions& options) {
  Result<PackedModel> packed = pack_to_files(pack_input(model, options), path, options);
  if (packed) report_left_out(packed->report, model, options);
  return packed;
}

Result<PackedModel> convert_to_memory(const GgufModel& model, const ConvertOptions& options) {
  Result<PackedModel> packed = pack_to_memory(pack_input(model, options), options);
  if (packed) report_left_out(packed->report, model, options);
  return packed;
}

}  // namespace bolide::convert
