#include "model/gguf_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <span>

#include "base/check.h"

namespace bolide::model {
namespace {

using formats::GgufType;

struct Naming {
  std::string_view official;
  std::string_view ds4;
  GgufType mxfp4_type;
};

constexpr std::array<Naming, 3> kGlobals{{{"embed.weight", "token_embd.weight", GgufType::kF16},
                                          {"norm.weight", "output_norm.weight", GgufType::kF32},
                                          {"head.weight", "output.weight", GgufType::kQ8_0}}};

// Behind "layers.L." or "mtp.S."; in the order of a block in the file.
constexpr std::array<Naming, 41> kBlock{{
    {"main_proj.weight", "main_proj.weight", GgufType::kQ8_0},
    {"main_norm.weight", "main_norm.weight", GgufType::kF32},
    {"hc_attn_fn", "hc_attn_fn.weight", GgufType::kF16},
    {"hc_attn_base", "hc_attn_base.weight", GgufType::kF32},
    {"hc_attn_scale", "hc_attn_scale.weight", GgufType::kF32},
    {"attn_norm.weight", "attn_norm.weight", GgufType::kF32},
    {"hc_ffn_fn", "hc_ffn_fn.weight", GgufType::kF16},
    {"hc_ffn_base", "hc_ffn_base.weight", GgufType::kF32},
    {"hc_ffn_scale", "hc_ffn_scale.weight", GgufType::kF32},
    {"ffn_norm.weight", "ffn_norm.weight", GgufType::kF32},
    {"attn.attn_sink", "attn_sinks.weight", GgufType::kF32},
    {"attn.wq_a.weight", "attn_q_a.weight", GgufType::kQ8_0},
    {"attn.wq_b.weight", "attn_q_b.weight", GgufType::kQ8_0},
    {"attn.q_norm.weight", "attn_q_a_norm.weight", GgufType::kF32},
    {"attn.wkv.weight", "attn_kv.weight", GgufType::kQ8_0},
    {"attn.kv_norm.weight", "attn_kv_a_norm.weight", GgufType::kF32},
    {"attn.wo_a.weight", "attn_output_a.weight", GgufType::kQ8_0},
    {"attn.wo_b.weight", "attn_output_b.weight", GgufType::kQ8_0},
    {"attn.compressor.wkv.weight", "attn_compressor_kv.weight", GgufType::kF16},
    {"attn.compressor.norm.weight", "attn_compressor_norm.weight", GgufType::kF32},
    {"attn.indexer.wk.weight", "indexer.attn_k.weight", GgufType::kF16},
    {"attn.indexer.k_norm.weight", "indexer.k_norm.weight", GgufType::kF32},
    {"attn.compressor.wgate.weight", "attn_compressor_gate.weight", GgufType::kF16},
    {"attn.indexer.wq_b.weight", "indexer.attn_q_b.weight", GgufType::kF16},
    {"attn.indexer.weights_proj.weight", "indexer.proj.weight", GgufType::kF16},
    {"ffn.gate.weight", "ffn_gate_inp.weight", GgufType::kF32},
    {"ffn.gate.bias", "exp_probs_b.bias", GgufType::kF32},
    {"ffn.gate.bias_vl", "exp_probs_b_vl.bias", GgufType::kF32},
    {"ffn.shared_experts.w1.weight", "ffn_gate_shexp.weight", GgufType::kQ8_0},
    {"ffn.experts.w1", "ffn_gate_exps.weight", GgufType::kMXFP4},
    {"ffn.shared_experts.w3.weight", "ffn_up_shexp.weight", GgufType::kQ8_0},
    {"ffn.experts.w3", "ffn_up_exps.weight", GgufType::kMXFP4},
    {"ffn.shared_experts.w2.weight", "ffn_down_shexp.weight", GgufType::kQ8_0},
    {"ffn.experts.w2", "ffn_down_exps.weight", GgufType::kMXFP4},
    {"engram.q_weight", "engram_q_norm.weight", GgufType::kF32},
    {"engram.k_weight", "engram_k_norm.weight", GgufType::kF32},
    {"engram.wkv.weight", "engram_kv.weight", GgufType::kF16},
    // The drafter's last stage.
    {"norm.weight", "norm.weight", GgufType::kF32},
    {"markov_head.embed.weight", "markov_head.markov_w1.weight", GgufType::kQ8_0},
    {"markov_head.head.weight", "markov_head.markov_w2.weight", GgufType::kQ8_0},
    {"confidence_head.proj.weight", "confidence_head.proj.weight", GgufType::kF32},
}};

struct Alias {
  std::string_view official;
  std::string_view alias;
};
constexpr std::array<Alias, 3> kAliases{{{"markov_head.embed.weight", "markov_w1.weight"},
                                         {"markov_head.head.weight", "markov_w2.weight"},
                                         {"confidence_head.proj.weight", "confidence_proj.weight"}}};

// A spec's place in the table and in the model.
struct Place {
  std::string prefix;       // ds4's: "blk.3.", "mtp.0." or nothing
  std::string_view suffix;  // of the official name
  const Naming* naming;
  u64 part;  // 0: globals, then 1 + layer or stage
  u64 rank;  // of the naming in its table
};

// The number behind the first dot, and the rest behind the second.
std::pair<u32, std::string_view> split_block_name(std::string_view name) {
  const std::size_t begin = name.find('.') + 1;
  const std::size_t end = name.find('.', begin);
  u32 number = 0;
  std::from_chars(name.data() + begin, name.data() + end, number);
  return {number, name.substr(end + 1)};
}

Place place_in(std::span<const Naming> table, std::string prefix, std::string_view suffix, u64 part) {
  const auto found = std::ranges::find(table, suffix, &Naming::official);
  check(found != table.end(), "every tensor of a model is in the table");
  return {std::move(prefix), suffix, &*found, part, static_cast<u64>(found - table.begin())};
}

Place place_of(const TensorSpec& spec) {
  const bool in_layer = spec.name.starts_with("layers.");
  if (!in_layer && !spec.draft) return place_in(kGlobals, "", spec.name, 0);
  const auto [number, suffix] = split_block_name(spec.name);
  return place_in(kBlock, fmt::format("{}.{}.", in_layer ? "blk" : "mtp", number), suffix, u64{1} + number);
}

}  // namespace

std::string gguf_name(const TensorSpec& spec) {
  const Place place = place_of(spec);
  return place.prefix + std::string(place.naming->ds4);
}

std::vector<std::string> gguf_names(const TensorSpec& spec) {
  const Place place = place_of(spec);
  std::vector<std::string> names = {place.prefix + std::string(place.naming->ds4)};
  const auto add = [&](std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  };
  add(spec.name);
  if (!spec.name.ends_with(".weight")) add(spec.name + ".weight");
  for (const Alias& alias : kAliases) {
    if (alias.official == place.suffix) add(place.prefix + std::string(alias.alias));
  }
  return names;
}

formats::GgufType gguf_mxfp4_type(const TensorSpec& spec) {
  return place_of(spec).naming->mxfp4_type;
}

std::vector<TensorSpec> in_gguf_order(std::vector<TensorSpec> specs) {
  std::ranges::sort(specs, {}, [](const TensorSpec& spec) {
    const Place place = place_of(spec);
    return std::pair(place.part, place.rank);
  });
  return specs;
}

std::string gguf_engram_name(u32 layer) {
  return fmt::format("blk.{}.engram_embd.weight", layer);
}

}  // namespace bolide::model
