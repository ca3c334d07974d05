#include "model/gguf_config.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <initializer_list>
#include <limits>
#include <optional>

#include "model/gguf_names.h"

namespace bolide::model {
namespace {

namespace json = boost::json;
using formats::GgufFile;
using formats::GgufMetadata;
using formats::GgufValue;

constexpr std::string_view kPrefix = "deepseek41.";
// Text and tables that are no fields of a configuration.
constexpr std::array<std::string_view, 5> kNoFields{"config", "quantization", "calibration", "engram.", "dspark."};

// A whole number or fraction, truth value, text or list of numbers; nothing for other values.
std::optional<json::value> as_json(const GgufValue& value) {
  if (const auto text = value.text()) return json::value(*text);
  if (const auto truth = value.truth()) return json::value(*truth);
  if (const auto whole = value.whole()) return json::value(*whole);
  if (const auto number = value.number()) return json::value(*number);
  if (const auto list = value.wholes()) return json::value(json::array(list->begin(), list->end()));
  if (const auto list = value.numbers()) return json::value(json::array(list->begin(), list->end()));
  return std::nullopt;
}

bool is_field(std::string_view name) {
  for (const std::string_view other : kNoFields) {
    if (other.ends_with('.') ? name.starts_with(other) : name == other) return false;
  }
  return true;
}

// "a.b" becomes a field b inside an object a.
void set_field(json::object& config, std::string_view name, json::value value) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) {
    config[name] = std::move(value);
    return;
  }
  json::value& inner = config[name.substr(0, dot)];
  if (!inner.is_object()) inner = json::object();
  set_field(inner.get_object(), name.substr(dot + 1), std::move(value));
}

// Sets a field that no key has set.
void set_default(json::object& config, std::string_view name, std::optional<json::value> value) {
  if (value && !config.contains(name)) config[name] = *std::move(value);
}

std::optional<json::value> value_of(const GgufFile& file, std::string_view key) {
  const GgufValue* value = file.value(key);
  return value == nullptr ? std::nullopt : as_json(*value);
}

// The number of elements of an array, 0 where there is none.
u64 count_of(const GgufFile& file, std::string_view key) {
  const GgufValue* value = file.value(key);
  return value != nullptr && value->type == formats::GgufValueType::kArray ? value->count : 0;
}

// The sizes of the Engram hash follow from how many constants it has, the size of a head from the table's rows.
void set_engram_defaults(json::object& config, const GgufFile& file) {
  set_default(config, "engram_layer_ids", value_of(file, "deepseek41.engram.layer_ids"));
  set_default(config, "engram_num_embeddings", value_of(file, "deepseek41.engram.rows"));
  set_default(config, "engram_compressed_vocab_size", value_of(file, "deepseek41.engram.compressed_vocab_size"));
  set_default(config, "engram_pad_token_id", value_of(file, "deepseek41.engram.pad_id"));
  const GgufValue* layers = file.value("deepseek41.engram.layer_ids");
  const std::optional<std::vector<u64>> ids = layers == nullptr ? std::nullopt : layers->wholes();
  if (!ids || ids->empty()) return;
  const u64 max_ngram = count_of(file, "deepseek41.engram.multipliers") / ids->size();
  set_default(config, "engram_max_ngram_size", max_ngram);
  if (max_ngram > 1) {
    const u64 columns = count_of(file, "deepseek41.engram.primes") / ids->size();
    set_default(config, "engram_n_heads", columns / (max_ngram - 1));
  }
  const formats::GgufTensor* table = file.find(gguf_engram_name(static_cast<u32>(ids->front())));
  if (table != nullptr) set_default(config, "engram_head_dim", table->dimensions[0] / 33 * 32);
}

// One number of a drafter: the field of config.json, and its keys in a drafter file, behind either prefix.
struct DraftField {
  std::string_view field;
  std::string_view key;
  std::string_view alias;
};
constexpr std::array<DraftField, 7> kDraftFields{
    {{"num_nextn_predict_layers", "stage_count", "n_layers"},
     {"dspark_block_size", "block_size", ""},
     {"dspark_noise_token_id", "noise_token_id", ""},
     {"dspark_markov_rank", "markov_rank", ""},
     {"dspark_n_routed_experts", "n_routed_experts", "expert_count"},
     {"dspark_num_experts_per_tok", "num_experts_per_tok", "expert_used_count"},
     {"dspark_target_layer_ids", "target_layer_ids", ""}}};
constexpr std::array<std::string_view, 2> kDraftPrefixes{"deepseek41.dspark.", "dspark."};

const GgufValue* draft_value(const GgufFile& file, std::string_view key, std::string_view alias) {
  for (const std::string_view prefix : kDraftPrefixes) {
    for (const std::string_view name : {key, alias}) {
      if (name.empty()) continue;
      if (const GgufValue* value = file.value(fmt::format("{}{}", prefix, name))) return value;
    }
  }
  return nullptr;
}

void set_draft_defaults(json::object& config, const GgufFile& file) {
  for (const DraftField& field : kDraftFields) {
    const GgufValue* value = draft_value(file, field.key, field.alias);
    if (value != nullptr) set_default(config, field.field, as_json(*value));
  }
}

void add_u32_keys(GgufMetadata& metadata, std::initializer_list<std::pair<std::string_view, u64>> fields) {
  for (const auto& [name, value] : fields) {
    check(value <= std::numeric_limits<u32>::max(), "every count of a validated configuration has 32 bits");
    metadata.add_u32(fmt::format("{}{}", kPrefix, name), static_cast<u32>(value));
  }
}

void add_f32_keys(GgufMetadata& metadata, std::initializer_list<std::pair<std::string_view, double>> fields) {
  for (const auto& [name, value] : fields) {
    metadata.add_f32(fmt::format("{}{}", kPrefix, name), static_cast<float>(value));
  }
}

}  // namespace

Result<std::string> gguf_config_json(const GgufFile& target, const GgufFile* draft) {
  if (const GgufValue* text = target.value("deepseek41.config")) {
    if (text->text()) return std::string(*text->text());
    return Error{fmt::format("{}: metadata key deepseek41.config is no text", target.path())};
  }
  json::object config;
  for (const formats::GgufEntry& entry : target.values()) {
    if (!entry.key.starts_with(kPrefix)) continue;
    const std::string_view name = entry.key.substr(kPrefix.size());
    if (!is_field(name)) continue;
    if (std::optional<json::value> value = as_json(entry.value)) set_field(config, name, *std::move(value));
  }
  if (config.empty()) {
    return Error{
        fmt::format("{}: it has neither the metadata key deepseek41.config nor other keys deepseek41.*; Bolide "
                    "runs DeepSeek V4.1 Flash only",
                    target.path())};
  }
  set_engram_defaults(config, target);
  set_default(config, "vocab_size", json::value(count_of(target, "tokenizer.ggml.tokens")));
  set_default(config, "bos_token_id", value_of(target, "tokenizer.ggml.bos_token_id"));
  set_default(config, "eos_token_id", value_of(target, "tokenizer.ggml.eos_token_id"));
  set_draft_defaults(config, target);
  if (draft != nullptr) set_draft_defaults(config, *draft);
  if (target.find("blk.0.exp_probs_b_vl.bias") != nullptr) set_default(config, "vision_n_layers", json::value(1));
  return json::serialize(config);
}

Status check_draft_keys(const Config& config, const GgufFile& draft) {
  const DraftConfig& d = config.draft;
  const auto expect = [&](std::string_view key, std::string_view alias, const std::vector<u64>& wanted) -> Status {
    const GgufValue* value = draft_value(draft, key, alias);
    if (value == nullptr) return {};
    const std::optional<u64> number = value->whole();
    const std::optional<std::vector<u64>> found = number ? std::vector<u64>{*number} : value->wholes();
    if (found == wanted) return {};
    return Error{
        fmt::format("{}: its metadata key {} is [{}], but the model has [{}]: this drafter belongs to another "
                    "checkpoint",
                    draft.path(), key, fmt::join(found.value_or(std::vector<u64>()), ", "), fmt::join(wanted, ", "))};
  };
  const std::vector<u64> taps(d.target_layer_ids.begin(), d.target_layer_ids.end());
  const std::array<std::vector<u64>, kDraftFields.size()> wanted{{{d.n_stages},
                                                                  {d.block_size},
                                                                  {d.noise_token_id},
                                                                  {d.markov_rank},
                                                                  {d.n_routed_experts},
                                                                  {d.n_activated_experts},
                                                                  taps}};
  for (std::size_t i = 0; i < kDraftFields.size(); ++i) {
    if (Status agrees = expect(kDraftFields[i].key, kDraftFields[i].alias, wanted[i]); !agrees) return agrees;
  }
  return expect("expert_feed_forward_length", "", {config.moe_inter_dim});
}

void add_config_keys(const Config& c, GgufMetadata& metadata) {
  add_u32_keys(metadata, {{"vocab_size", c.vocab_size},
                          {"hidden_size", c.dim},
                          {"num_hidden_layers", c.n_layers},
                          {"num_nextn_predict_layers", c.draft.n_stages},
                          {"num_attention_heads", c.n_heads},
                          {"num_key_value_heads", 1},
                          {"head_dim", c.head_dim},
                          {"qk_rope_head_dim", c.rope_head_dim},
                          {"q_lora_rank", c.q_lora_rank},
                          {"o_groups", c.o_groups},
                          {"o_lora_rank", c.o_lora_rank},
                          {"sliding_window", c.window_size},
                          {"max_position_embeddings", c.max_position},
                          {"rope_scaling.original_max_position_embeddings", c.original_length},
                          {"candidate_source_layer_id", c.candidate_source_layer},
                          {"candidate_topk_blocks", c.candidate_topk_blocks},
                          {"candidate_block_size", c.candidate_block_size},
                          {"index_n_heads", c.index_n_heads},
                          {"index_head_dim", c.index_head_dim},
                          {"index_topk", c.index_topk},
                          {"n_routed_experts", c.n_routed_experts},
                          {"num_experts_per_tok", c.n_activated_experts},
                          {"n_shared_experts", 1},
                          {"moe_intermediate_size", c.moe_inter_dim},
                          {"hc_mult", c.hc_mult},
                          {"hc_sinkhorn_iters", c.hc_sinkhorn_iters},
                          {"engram_max_ngram_size", c.engram.max_ngram},
                          {"engram_n_heads", c.engram.n_heads},
                          {"engram_head_dim", c.engram.head_dim}});
  add_f32_keys(metadata, {{"rms_norm_eps", c.norm_eps},
                          {"rope_theta", c.rope_theta},
                          {"compress_rope_theta", c.compress_rope_theta},
                          {"rope_scaling.factor", c.rope_factor},
                          {"rope_scaling.beta_fast", c.beta_fast},
                          {"rope_scaling.beta_slow", c.beta_slow},
                          {"routed_scaling_factor", c.route_scale},
                          {"swiglu_limit", c.swiglu_limit},
                          {"hc_eps", c.hc_eps}});
  metadata.add_text("deepseek41.scoring_func", "sqrtsoftplus");
  metadata.add_text("deepseek41.topk_method", "noaux_tc");
  metadata.add_bool("deepseek41.norm_topk_prob", true);
  metadata.add_u32s("deepseek41.compress_ratios", c.compress_ratios);
  metadata.add_u32s("deepseek41.kv_source_layer_ids", c.kv_source_layers);
  metadata.add_u32s("deepseek41.index_source_layer_ids", c.index_source_layers);
  metadata.add_u64("deepseek41.engram_vocab_size", c.engram.prime_search_start);
  if (c.image_token_id != kNone) add_u32_keys(metadata, {{"image_token_id", c.image_token_id}});
  if (c.draft.n_stages == 0) return;
  add_u32_keys(metadata, {{"dspark_block_size", c.draft.block_size},
                          {"dspark_noise_token_id", c.draft.noise_token_id},
                          {"dspark_markov_rank", c.draft.markov_rank},
                          {"dspark_n_routed_experts", c.draft.n_routed_experts},
                          {"dspark_num_experts_per_tok", c.draft.n_activated_experts}});
  metadata.add_u32s("deepseek41.dspark_target_layer_ids", c.draft.target_layer_ids);
}

void add_draft_keys(const Config& c, GgufMetadata& metadata) {
  add_u32_keys(metadata, {{"dspark.block_size", c.draft.block_size},
                          {"dspark.markov_rank", c.draft.markov_rank},
                          {"dspark.noise_token_id", c.draft.noise_token_id},
                          {"dspark.stage_count", c.draft.n_stages},
                          {"dspark.n_layers", c.draft.n_stages},
                          {"dspark.n_routed_experts", c.draft.n_routed_experts},
                          {"dspark.num_experts_per_tok", c.draft.n_activated_experts},
                          {"dspark.expert_feed_forward_length", c.moe_inter_dim}});
  metadata.add_u32s("deepseek41.dspark.target_layer_ids", c.draft.target_layer_ids);
}

}  // namespace bolide::model
