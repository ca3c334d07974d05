#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "app/model_report.h"

namespace bolide::app {
namespace {

using boost::json::array;
using boost::json::object;

std::string_view form_name(ModelForm form) {
  switch (form) {
    case ModelForm::kCheckpoint:
      return "checkpoint";
    case ModelForm::kPacked:
      return "packed";
    case ModelForm::kGguf:
      return "gguf";
  }
  return "";
}

// A layer's number, or null where there is none.
boost::json::value layer_or_null(u32 layer) {
  if (layer == model::kNone) return nullptr;
  return layer;
}

array layers(const model::Config& config) {
  array list;
  for (const model::LayerRole& role : config.roles) {
    list.push_back(object{{"ratio", role.ratio},
                          {"kv_owner", layer_or_null(role.kv_owner)},
                          {"index_owner", layer_or_null(role.index_owner)},
                          {"makes_candidates", role.makes_candidates},
                          {"applies_candidates", role.applies_candidates},
                          {"engram", role.engram != model::kNone},
                          {"draft_tap", role.tap != model::kNone}});
  }
  return list;
}

array classes(const ModelSummary& summary) {
  array list;
  for (const ClassSize& size : class_sizes(summary)) {
    list.push_back(object{{"draft", size.draft},
                          {"class", model::name(size.tensor_class)},
                          {"type", size.type},
                          {"tensors", size.tensors},
                          {"bytes", size.bytes}});
  }
  return list;
}

array engram_tables(const ModelSummary& summary) {
  array list;
  for (const StoredTable& table : summary.engram_tables)
    list.push_back(object{{"layer", table.layer}, {"rows", table.rows}, {"row_bytes", table.row_bytes}});
  return list;
}

object reads(const std::vector<ReadPerToken>& lines) {
  object classes;
  u64 total = 0;
  for (const ReadPerToken& line : lines) {
    classes[model::name(line.tensor_class)] = line.bytes;
    total += line.bytes;
  }
  classes["total"] = total;
  return classes;
}

array tensors(const ModelSummary& summary) {
  array list;
  for (const auto& [spec, type, bytes] : summary.tensors) {
    list.push_back(object{{"name", spec.name},
                          {"class", model::name(spec.tensor_class)},
                          {"type", type},
                          {"experts", spec.packed.experts},
                          {"rows", spec.packed.rows},
                          {"columns", spec.packed.columns},
                          {"bytes", bytes}});
  }
  return list;
}

}  // namespace

std::string json_report(const ModelSummary& summary, bool every_tensor) {
  object report{{"path", summary.path},
                {"form", form_name(summary.form)},
                {"bytes", stored_bytes(summary)},
                {"layers", layers(summary.config)},
                {"tensor_classes", classes(summary)},
                {"engram_tables", engram_tables(summary)},
                {"vision_bytes", summary.vision.bytes},
                {"read_per_token", reads(read_per_token(summary, false))},
                {"draft_read_per_token", reads(read_per_token(summary, true))}};
  if (every_tensor) report["tensors"] = tensors(summary);
  return boost::json::serialize(report) + "\n";
}

}  // namespace bolide::app
