#include "convert/checkpoint_to_packed.h"

namespace bolide::convert {
namespace {

using model::TensorSpec;

PackInput pack_input(const CheckpointFolder& folder, const ConvertOptions& options) {
  PackInput input{.name = folder.path, .config = folder.config, .documents = folder.documents};
  for (const TensorSpec& spec : model::tensor_specs(folder.config)) {
    if (spec.draft ? !options.with_draft : !options.with_trunk) continue;
    input.tensors.push_back({.spec = spec,
                             .from = std::string(model::name(spec.checkpoint)),
                             .files = shards_of(spec, *folder.checkpoint),
                             .convert = [&folder, spec](const Append& append) {
                               return convert_tensor(spec, *folder.checkpoint, append);
                             }});
  }
  if (options.with_trunk) input.engram_tables = engram_table_rows(folder.config.engram, *folder.checkpoint);
  for (const MappedFile& shard : folder.checkpoint->shards()) input.sources.push_back(&shard);
  input.consumable = shards_without_rest(*folder.checkpoint, options.with_draft, options.engram_from.empty());
  return input;
}

// What the checkpoint holds and the packed file does not.
void report_left_out(ConvertReport& report, const CheckpointFolder& folder, const ConvertOptions& options) {
  report.vision = folder.skipped;
  if (options.with_draft) return;
  for (const formats::Tensor& tensor : folder.checkpoint->tensors()) {
    if (!tensor.name.starts_with("mtp.")) continue;
    ++report.omitted_draft.count;
    report.omitted_draft.bytes += tensor.bytes;
  }
}

}  // namespace

Result<PackedModel> convert_to_files(const CheckpointFolder& folder, const std::string& path,
                                     const ConvertOptions& options) {
  Result<PackedModel> model = pack_to_files(pack_input(folder, options), path, options);
  if (model) report_left_out(model->report, folder, options);
  return model;
}

Result<PackedModel> convert_to_memory(const CheckpointFolder& folder, const ConvertOptions& options) {
  Result<PackedModel> model = pack_to_memory(pack_input(folder, options), options);
  if (model) report_left_out(model->report, folder, options);
  return model;
}

}  // namespace bolide::convert
