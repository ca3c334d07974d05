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

Result<PackInput> pack_input(const GgufModel& model, const ConvertOptions& options) {
  PackInput input{.name = model.path, .config = model.config, .documents = model.documents};
  for (const GgufSource& source : model.tensors) {
    if (source.spec.draft && !options.with_draft) continue;
    model::TensorSpec spec = source.spec;
    const Result<formats::WeightType> type = packed_type(spec, *source.tensor, *source.file);
    if (!type) return type.error();
    spec.packed.type = *type;
    const auto convert = [spec, source](const Append& append) -> Result<TensorConversion> {
      Result<TensorConversion> done = convert_gguf_tensor(spec, *source.tensor, *source.file, append);
      if (done) return done;
      return Error{fmt::format("{}: {}", source.file->path(), done.error().message)};
    };
    input.tensors.push_back({.spec = spec,
                             .from = std::string(formats::name(source.tensor->type)),
                             .files = {source.file},
                             .convert = convert});
  }
  input.engram_tables = model.engram_rows;
  for (const MappedFile& file : model.target->files()) input.sources.push_back(&file);
  if (model.draft == nullptr) return input;
  for (const MappedFile& file : model.draft->files()) input.sources.push_back(&file);
  return input;
}

Result<PackedModel> convert_to_files(const GgufModel& model, const std::string& path, const ConvertOptions& options) {
  const Result<PackInput> input = pack_input(model, options);
  if (!input) return input.error();
  Result<PackedModel> packed = pack_to_files(*input, path, options);
  if (packed) report_left_out(packed->report, model, options);
  return packed;
}

Result<PackedModel> convert_to_memory(const GgufModel& model, const ConvertOptions& options) {
  const Result<PackInput> input = pack_input(model, options);
  if (!input) return input.error();
  Result<PackedModel> packed = pack_to_memory(*input, options);
  if (packed) report_left_out(packed->report, model, options);
  return packed;
}

}  // namespace bolide::convert
