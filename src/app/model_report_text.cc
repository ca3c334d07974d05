#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/model_report.h"
#include "app/text_table.h"

namespace bolide::app {
namespace {

using model::Config;
using model::kNone;
using model::LayerRole;

std::string_view form_name(ModelForm form) {
  switch (form) {
    case ModelForm::kCheckpoint:
      return "official checkpoint";
    case ModelForm::kPacked:
      return "packed weights";
    case ModelForm::kGguf:
      return "GGUF";
  }
  return "";
}

std::string configuration(const Config& c) {
  TextTable table("ll", {});
  table.row({"layers", fmt::format("{} of width {}, {} residual streams", c.n_layers, c.dim, c.hc_mult)});
  table.row({"vocabulary", fmt::format("{} tokens", grouped(c.vocab_size))});
  table.row({"longest context", fmt::format("{} tokens", grouped(c.max_position))});
  table.row(
      {"attention", fmt::format("{} heads of {} ({} of them rotated), query rank {}, output groups {} of rank {}",
                                c.n_heads, c.head_dim, c.rope_head_dim, c.q_lora_rank, c.o_groups, c.o_lora_rank)});
  table.row({"entries attended to", fmt::format("the window's {} and {} selected rows", c.window_size, c.index_topk)});
  table.row({"indexer", fmt::format("{} heads of {}; {} candidate blocks of {} rows", c.index_n_heads, c.index_head_dim,
                                    c.candidate_topk_blocks, c.candidate_block_size)});
  table.row({"experts", fmt::format("{} of width {}, {} used and one shared", c.n_routed_experts, c.moe_inter_dim,
                                    c.n_activated_experts)});
  if (!c.engram.layer_ids.empty()) {
    table.row({"Engram", fmt::format("before layers {}; n-grams of 2 to {} tokens, {} heads of {}",
                                     fmt::join(c.engram.layer_ids, ", "), c.engram.max_ngram, c.engram.n_heads,
                                     c.engram.head_dim)});
  }
  if (c.draft.n_stages > 0) {
    table.row(
        {"drafter", fmt::format("{} stages, blocks of {} tokens, taps at layers {}, Markov rank {}, {} experts, {} "
                                "used",
                                c.draft.n_stages, c.draft.block_size, fmt::join(c.draft.target_layer_ids, ", "),
                                c.draft.markov_rank, c.draft.n_routed_experts, c.draft.n_activated_experts)});
  }
  return table.str();
}

std::string layer_or_dash(u32 layer) {
  return layer == kNone ? "-" : fmt::format("{}", layer);
}

// What distinguishes the layers, as the cells of a row without the layer's number.
std::vector<std::string> describe(const LayerRole& role) {
  std::vector<std::string> also;
  if (role.owns_kv) also.emplace_back("compresses");
  if (role.owns_index) also.emplace_back("selects");
  if (role.makes_candidates) also.emplace_back("chooses the candidates");
  if (role.applies_candidates) also.emplace_back("within the candidates");
  if (role.engram != kNone) also.emplace_back("Engram");
  if (role.tap != kNone) also.emplace_back("draft tap");
  return {role.ratio == 0 ? "window only" : fmt::format("{} : 1", role.ratio), layer_or_dash(role.kv_owner),
          layer_or_dash(role.index_owner), fmt::format("{}", fmt::join(also, ", "))};
}

// Neighbours with equal roles share a line.
std::string layers(const Config& config) {
  TextTable table("llrrl", {"layers", "compression", "rows of layer", "selection of layer", "also"});
  for (u32 first = 0; first < config.n_layers;) {
    std::vector<std::string> cells = describe(config.roles[first]);
    u32 end = first + 1;
    while (end < config.n_layers && describe(config.roles[end]) == cells) ++end;
    cells.insert(cells.begin(), end == first + 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, end - 1));
    table.row(std::move(cells));
    first = end;
  }
  return table.str();
}

std::string tensor_classes(const ModelSummary& summary) {
  const u64 total = stored_bytes(summary);
  TextTable table("lllrrr", {"part", "class", "type", "tensors", "bytes", "share"});
  const auto add = [&](std::string part, std::string_view of, std::string type, u64 count, u64 bytes) {
    table.row(
        {std::move(part), std::string(of), std::move(type), grouped(count), grouped(bytes), percentage(bytes, total)});
  };
  for (const StoredTable& engram : summary.engram_tables)
    add("trunk", fmt::format("Engram table, layer {}", engram.layer), "FP8", 1, engram.bytes());
  for (const ClassSize& size : class_sizes(summary))
    add(size.draft ? "drafter" : "trunk", model::name(size.tensor_class), size.type, size.tensors, size.bytes);
  table.rule();
  table.row({"total", "", "", "", grouped(total), ""});
  std::string text = table.str();
  if (summary.vision.count > 0) {
    text += fmt::format("  Beside it, not used: {} tensors of the vision tower, {} bytes.\n",
                        grouped(summary.vision.count), grouped(summary.vision.bytes));
  }
  return text;
}

std::string reads(const std::vector<ReadPerToken>& lines) {
  u64 total = 0;
  for (const ReadPerToken& line : lines) total += line.bytes;
  TextTable table("lrr", {"class", "bytes", "share"});
  for (const ReadPerToken& line : lines)
    table.row({std::string(model::name(line.tensor_class)), grouped(line.bytes), percentage(line.bytes, total)});
  table.rule();
  table.row({"total", grouped(total), readable_bytes(total)});
  return table.str();
}

std::string engram_reads(const ModelSummary& summary) {
  if (summary.engram_tables.empty()) return "";
  u64 bytes = 0;
  for (const StoredTable& table : summary.engram_tables) bytes += table.row_bytes * summary.config.engram.columns();
  return fmt::format("  Also {} random rows of the Engram tables, {} bytes from the disk.\n",
                     summary.engram_tables.size() * summary.config.engram.columns(), grouped(bytes));
}

std::string tensors(const ModelSummary& summary) {
  TextTable table("lllrr", {"tensor", "class", "type", "shape", "bytes"});
  for (const auto& [spec, type, bytes] : summary.tensors) {
    const formats::PackedShape& shape = spec.packed;
    const std::string rows = spec.dimensions == 1 ? "" : fmt::format("{} x ", shape.rows);
    const std::string experts = spec.stacked() ? fmt::format("{} x ", shape.experts) : "";
    table.row({spec.name, std::string(model::name(spec.tensor_class)), type,
               fmt::format("{}{}{}", experts, rows, shape.columns), grouped(bytes)});
  }
  return table.str();
}

}  // namespace

std::string text_report(const ModelSummary& summary, bool every_tensor) {
  std::string text =
      fmt::format("{}: {}, {}\n\n", summary.path, form_name(summary.form), readable_bytes(stored_bytes(summary)));
  const auto add = [&text](std::string_view title, const std::string& body) {
    text += fmt::format("{}\n{}\n", title, body);
  };
  add("Configuration", configuration(summary.config));
  add("Layers", layers(summary.config));
  add("Tensors by class", tensor_classes(summary));
  if (const std::vector<ReadPerToken> trunk = read_per_token(summary, false); !trunk.empty()) {
    add("Weights that one decoded token reads (routed experts: the used ones; embedding: one row)",
        reads(trunk) + engram_reads(summary));
  }
  if (const std::vector<ReadPerToken> draft = read_per_token(summary, true); !draft.empty())
    add("Weights of its own that the drafter reads for one block (each tensor once)", reads(draft));
  if (every_tensor) add("Tensors (experts x rows x columns; bytes with scales)", tensors(summary));
  text.pop_back();
  return text;
}

}  // namespace bolide::app
