#include "model/config.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <initializer_list>
#include <limits>

#include "base/json.h"

namespace bolide::model {
namespace {

using boost::json::object;
using boost::json::value;

// Bounds that keep every product of two dimensions far inside 64 bits, and a hostile file from asking for absurd work.
constexpr double kMaxDimension = 1 << 24;
constexpr double kMaxLayers = 4096;
constexpr double kMaxRows = 1e12;

// Reads fields by their flat or nested name and keeps the first error.
class FieldReader {
 public:
  FieldReader(const object& root, std::string_view what) : what_(what) {
    if (const value* text = root.if_contains("text_config"); text != nullptr && text->is_object()) {
      places_.push_back(&text->get_object());
    }
    places_.push_back(&root);
  }

  // The value of the first of `names` that is present; "a.b" looks inside object a. The first name is used in errors.
  const value* find(std::initializer_list<std::string_view> names) const {
    for (const object* place : places_) {
      for (const std::string_view name : names) {
        if (const value* found = find_in(*place, name); found != nullptr && !found->is_null()) return found;
      }
    }
    return nullptr;
  }

  double number(std::initializer_list<std::string_view> names, double low, double high) {
    const value* found = find(names);
    if (found == nullptr) return fail(*names.begin(), "is missing", 0.0);
    return checked(*names.begin(), *found, low, high);
  }

  double number_or(std::initializer_list<std::string_view> names, double fallback, double low, double high) {
    return find(names) == nullptr ? fallback : number(names, low, high);
  }

  u32 count(std::initializer_list<std::string_view> names, double low, double high = kMaxDimension) {
    return static_cast<u32>(whole(*names.begin(), number(names, low, high)));
  }

  u32 count_or(std::initializer_list<std::string_view> names, u32 fallback, double low, double high = kMaxDimension) {
    return find(names) == nullptr ? fallback : count(names, low, high);
  }

  template <class T>
  std::vector<T> list(std::initializer_list<std::string_view> names, double high) {
    const value* found = find(names);
    if (found == nullptr || !found->is_array())
      return fail(*names.begin(), "must be a list of numbers", std::vector<T>());
    if (found->get_array().size() > kMaxLayers) return fail(*names.begin(), "has too many entries", std::vector<T>());
    std::vector<T> result;
    for (const value& item : found->get_array()) {
      result.push_back(static_cast<T>(whole(*names.begin(), checked(*names.begin(), item, 0, high))));
    }
    return result;
  }

  // A text or boolean field that, where present, must have one value.
  void require(std::initializer_list<std::string_view> names, const value& wanted) {
    const value* found = find(names);
    if (found != nullptr && *found != wanted) {
      fail(*names.begin(), fmt::format("is {}, but only {} is supported", print(*found), print(wanted)), 0);
    }
  }

  template <class T>
  T fail(std::string_view field, std::string_view problem, T result) {
    if (!error_) error_ = Error{fmt::format("{}: field {} {}", what_, field, problem)};
    return result;
  }
  void ensure(bool good, std::string_view field, std::string_view problem) {
    if (!good) fail(field, problem, 0);
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  static const value* find_in(const object& place, std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return place.if_contains(name);
    const value* inner = place.if_contains(name.substr(0, dot));
    return inner != nullptr && inner->is_object() ? find_in(inner->get_object(), name.substr(dot + 1)) : nullptr;
  }

  static std::string print(const value& v) {
    if (v.is_string()) return fmt::format("\"{}\"", std::string_view(v.get_string()).substr(0, 64));
    if (v.is_bool()) return v.get_bool() ? "true" : "false";
    if (v.is_int64()) return std::to_string(v.get_int64());
    if (v.is_double()) return fmt::format("{}", v.get_double());
    return "a value of another kind";
  }

  double checked(std::string_view field, const value& v, double low, double high) {
    double number = 0;
    if (v.is_int64()) {
      number = static_cast<double>(v.get_int64());
    } else if (v.is_uint64()) {
      number = static_cast<double>(v.get_uint64());
    } else if (v.is_double()) {
      number = v.get_double();
    } else {
      return fail(field, fmt::format("must be a number, but is {}", print(v)), low);
    }
    if (!(number >= low && number <= high)) {
      return fail(field, fmt::format("is {}, outside {} to {}", number, low, high), low);
    }
    return number;
  }

  double whole(std::string_view field, double number) {
    return number == std::floor(number) ? number : fail(field, fmt::format("is {}, not a whole number", number), 0.0);
  }

  std::string_view what_;
  std::vector<const object*> places_;
  std::optional<Error> error_;
};

void read_shape(FieldReader& in, Config& c) {
  c.vocab_size = in.count({"vocab_size"}, 1);
  c.dim = in.count({"dim", "hidden_size"}, 32);
  c.n_layers = in.count({"n_layers", "num_hidden_layers"}, 1, kMaxLayers);
  c.n_heads = in.count({"n_heads", "num_attention_heads"}, 1, 4096);
  c.head_dim = in.count({"head_dim"}, 1);
  c.rope_head_dim = in.count({"rope_head_dim", "qk_rope_head_dim"}, 1);
  c.q_lora_rank = in.count({"q_lora_rank"}, 1);
  c.o_groups = in.count({"o_groups"}, 1, 4096);
  c.o_lora_rank = in.count({"o_lora_rank"}, 1);
  c.window_size = in.count({"window_size", "sliding_window"}, 1);
  c.norm_eps = static_cast<float>(in.number({"norm_eps", "rms_norm_eps"}, 1e-30, 1));
  c.max_position = static_cast<u64>(in.number_or({"max_position_embeddings"}, 1048576, 1, 1 << 30));
  in.require({"num_key_value_heads"}, 1);
}

void read_rope(FieldReader& in, Config& c) {
  c.rope_theta = in.number({"rope_theta"}, 1, 1e12);
  c.compress_rope_theta = in.number({"compress_rope_theta"}, 1, 1e12);
  c.rope_factor = in.number({"rope_factor", "rope_scaling.factor"}, 1e-3, 1e6);
  c.beta_fast = in.number({"beta_fast", "rope_scaling.beta_fast"}, 1e-3, 1e6);
  c.beta_slow = in.number({"beta_slow", "rope_scaling.beta_slow"}, 1e-3, 1e6);
  c.original_length =
      static_cast<u64>(in.number({"original_seq_len", "rope_scaling.original_max_position_embeddings"}, 0, 1 << 30));
}

void read_sparse_attention(FieldReader& in, Config& c) {
  c.compress_ratios = in.list<u32>({"compress_ratios"}, 2);
  c.kv_source_layers = in.list<u32>({"kv_source_layers", "kv_source_layer_ids"}, kMaxLayers);
  c.index_source_layers = in.list<u32>({"index_source_layers", "index_source_layer_ids"}, kMaxLayers);
  c.candidate_source_layer = in.count({"candidate_source_layer", "candidate_source_layer_id"}, 0, kMaxLayers);
  c.candidate_topk_blocks = in.count({"candidate_topk_blocks"}, 1);
  c.candidate_block_size = in.count({"candidate_block_size"}, 1);
  c.index_n_heads = in.count({"index_n_heads"}, 1, 4096);
  c.index_head_dim = in.count({"index_head_dim"}, 1);
  c.index_topk = in.count({"index_topk"}, 1);
}

void read_mixture(FieldReader& in, Config& c) {
  c.n_routed_experts = in.count({"n_routed_experts"}, 1, 65536);
  c.n_activated_experts = in.count({"n_activated_experts", "num_experts_per_tok"}, 1, 65536);
  c.moe_inter_dim = in.count({"moe_inter_dim", "moe_intermediate_size"}, 32);
  c.route_scale = static_cast<float>(in.number({"route_scale", "routed_scaling_factor"}, 1e-6, 1e6));
  c.swiglu_limit = static_cast<float>(in.number({"swiglu_limit"}, 1e-3, 1e6));
  in.require({"n_shared_experts"}, 1);
  in.require({"score_func", "scoring_func"}, "sqrtsoftplus");
  in.require({"norm_topk_prob"}, true);
  if (in.number_or({"gate_temp"}, 1, 1e-6, 1e6) != 1) in.fail("gate_temp", "must be 1", 0);
}

void read_streams(FieldReader& in, Config& c) {
  c.hc_mult = in.count({"hc_mult"}, 1);
  c.hc_sinkhorn_iters = in.count({"hc_sinkhorn_iters"}, 1, 1000);
  c.hc_eps = static_cast<float>(in.number({"hc_eps"}, 1e-30, 1));
}

void read_engram(FieldReader& in, Config& c) {
  EngramConfig& e = c.engram;
  e.layer_ids = in.list<u32>({"engram_layer_ids"}, kMaxLayers);
  e.rows = in.list<u64>({"engram_num_embeddings"}, kMaxRows);
  e.prime_search_start = static_cast<u64>(in.number_or({"engram_vocab_size"}, 0, 0, kMaxRows));
  e.max_ngram = in.count({"engram_max_ngram_size"}, 2, 16);
  e.n_heads = in.count({"engram_n_heads"}, 1, 1024);
  e.head_dim = in.count({"engram_head_dim"}, 32, 65536);
  e.pad_id = in.count({"engram_pad_id", "engram_pad_token_id"}, 0);
  e.compressed_vocab_size = in.count({"engram_compressed_vocab_size"}, 1);
}

void read_draft(FieldReader& in, Config& c) {
  DraftConfig& d = c.draft;
  d.n_stages = in.count_or({"n_mtp_layers", "num_nextn_predict_layers"}, 0, 0, 64);
  if (d.n_stages == 0) return;
  d.block_size = in.count({"dspark_block_size"}, 1, 64);
  d.noise_token_id = in.count({"dspark_noise_token_id"}, 0);
  d.markov_rank = in.count({"dspark_markov_rank"}, 32);
  d.n_routed_experts = in.count({"dspark_n_routed_experts"}, 1, 65536);
  d.n_activated_experts = in.count({"dspark_n_activated_experts", "dspark_num_experts_per_tok"}, 1, 65536);
  d.target_layer_ids = in.list<u32>({"dspark_target_layer_ids"}, kMaxLayers);
}

void read_tokens_and_types(FieldReader& in, Config& c) {
  c.has_vision = in.count_or({"vision_n_layers", "vision_config.num_hidden_layers"}, 0, 0) > 0;
  c.image_token_id = in.count_or({"image_token_id"}, kNone, 0);
  c.bos_token_id = in.count_or({"bos_token_id"}, 0, 0);
  c.eos_token_id = in.count_or({"eos_token_id"}, 1, 0);
  in.require({"dtype"}, in.find({"quantization_config"}) != nullptr ? "bfloat16" : "fp8");
  in.require({"expert_dtype", "quantization_config.expert_dtype"}, "fp4");
  in.require({"quantization_config.quant_method"}, "fp8");
  in.require({"quantization_config.fmt"}, "e4m3");
  in.require({"quantization_config.weight_block_size"}, boost::json::array{32, 32});
  in.require({"tie_word_embeddings"}, false);
}

// Arithmetic A1 version 1 fixes these; everything else is free (design: arithmetic.md, end of the rules).
void check_version_1(FieldReader& in, const Config& c) {
  const auto fixed = [&](std::string_view field, u32 found, u32 wanted) {
    in.ensure(found == wanted, field, fmt::format("is {}, but arithmetic A1 version 1 fixes {}", found, wanted));
  };
  fixed("rope_head_dim", c.rope_head_dim, 64);
  fixed("head_dim", c.head_dim, 512);
  fixed("index_head_dim", c.index_head_dim, 128);
  fixed("hc_mult", c.hc_mult, 4);
  const auto width = [&](std::string_view field, u64 k) {
    in.ensure(k % 32 == 0, field, fmt::format("makes a matrix width of {}, not a multiple of 32", k));
  };
  width("dim", c.dim);
  width("q_lora_rank", c.q_lora_rank);
  width("moe_inter_dim", c.moe_inter_dim);
  width("o_lora_rank", c.o_lora_rank);
  width("engram_head_dim", c.engram.head_dim);
  if (c.draft.n_stages > 0) width("dspark_markov_rank", c.draft.markov_rank);
}

void check_consistency(FieldReader& in, Config& c) {
  in.ensure(c.n_heads % c.o_groups == 0, "o_groups", fmt::format("must divide n_heads ({})", c.n_heads));
  in.ensure(c.n_activated_experts <= c.n_routed_experts, "n_activated_experts", "exceeds n_routed_experts");
  const std::size_t ratios = c.compress_ratios.size();
  in.ensure(ratios == c.n_layers || ratios == c.n_layers + c.draft.n_stages, "compress_ratios",
            fmt::format("has {} entries, expected {} or {}", ratios, c.n_layers, c.n_layers + c.draft.n_stages));
  for (std::size_t i = c.n_layers; i < ratios; ++i) {
    in.ensure(c.compress_ratios[i] == 0, "compress_ratios", "must be 0 for the draft stages");
  }
  in.ensure(!c.kv_source_layers.empty(), "kv_source_layers", "is empty");
  in.ensure(c.bos_token_id < c.vocab_size, "bos_token_id", "is not in the vocabulary");
  in.ensure(c.eos_token_id < c.vocab_size, "eos_token_id", "is not in the vocabulary");
  in.ensure(c.image_token_id == kNone || c.image_token_id < c.vocab_size, "image_token_id", "is not in the vocabulary");
  const auto ascending = [&](std::string_view field, const std::vector<u32>& layers) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      in.ensure(layers[i] < c.n_layers, field, fmt::format("names layer {}, but there are {}", layers[i], c.n_layers));
      in.ensure(i == 0 || layers[i - 1] < layers[i], field, "must ascend");
    }
  };
  ascending("kv_source_layers", c.kv_source_layers);
  ascending("index_source_layers", c.index_source_layers);
  ascending("engram_layer_ids", c.engram.layer_ids);
  ascending("dspark_target_layer_ids", c.draft.target_layer_ids);
  in.ensure(c.engram.rows.size() == c.engram.layer_ids.size(), "engram_num_embeddings",
            fmt::format("has {} entries for {} Engram layers", c.engram.rows.size(), c.engram.layer_ids.size()));
  if (c.draft.n_stages == 0) return;
  in.ensure(c.draft.noise_token_id < c.vocab_size, "dspark_noise_token_id", "is not in the vocabulary");
  in.ensure(c.draft.n_activated_experts <= c.draft.n_routed_experts, "dspark_n_activated_experts",
            "exceeds dspark_n_routed_experts");
  in.ensure(!c.draft.target_layer_ids.empty(), "dspark_target_layer_ids", "is empty");
}

// The newest of `sources` at or below `layer`, or kNone.
u32 newest_source(const std::vector<u32>& sources, u32 layer) {
  u32 newest = kNone;
  for (const u32 source : sources) {
    if (source <= layer) newest = source;
  }
  return newest;
}

u32 index_of(const std::vector<u32>& list, u32 layer) {
  const auto found = std::find(list.begin(), list.end(), layer);
  return found == list.end() ? kNone : static_cast<u32>(found - list.begin());
}

void derive_roles(FieldReader& in, Config& c) {
  c.compress_ratios.resize(c.n_layers);
  for (u32 layer = 0; layer < c.n_layers; ++layer) {
    LayerRole role;
    role.ratio = c.compress_ratios[layer];
    role.engram = index_of(c.engram.layer_ids, layer);
    role.tap = index_of(c.draft.target_layer_ids, layer);
    role.owns_kv = index_of(c.kv_source_layers, layer) != kNone;
    role.owns_index = index_of(c.index_source_layers, layer) != kNone;
    if (role.ratio == 0) {
      in.ensure(!role.owns_kv, "kv_source_layers", fmt::format("names layer {}, whose compression ratio is 0", layer));
      in.ensure(!role.owns_index, "index_source_layers", fmt::format("names layer {}, whose ratio is 0", layer));
    } else {
      role.kv_owner = newest_source(c.kv_source_layers, layer);
      role.index_owner = newest_source(c.index_source_layers, layer);
      if (role.kv_owner == kNone || role.index_owner == kNone) {
        in.fail("compress_ratios", fmt::format("is {} in layer {}, which has no KV or index source", role.ratio, layer),
                0);
        return;
      }
      in.ensure(role.index_owner >= role.kv_owner, "index_source_layers",
                fmt::format("lacks KV owner {}: its rows would be selected by an older layer's scores", role.kv_owner));
      in.ensure(c.compress_ratios[role.kv_owner] == role.ratio, "compress_ratios",
                fmt::format("of layer {} differs from that of its KV owner {}", layer, role.kv_owner));
      role.makes_candidates = layer == c.candidate_source_layer;
      role.applies_candidates =
          role.owns_index && layer > c.candidate_source_layer && role.kv_owner == c.candidate_source_layer;
    }
    c.roles.push_back(role);
  }
  in.ensure(c.candidate_source_layer < c.n_layers && c.roles[c.candidate_source_layer].owns_index &&
                c.candidate_source_layer == c.decoder_start(),
            "candidate_source_layer", "must be the last KV owner and run an indexer");
}

}  // namespace

Result<Config> parse_config(std::string_view json, std::string_view what) {
  Result<value> parsed = parse_json(json, what);
  if (!parsed) return parsed.error();
  if (!parsed->is_object()) return Error{fmt::format("{}: a JSON object is expected", what)};
  FieldReader in(parsed->get_object(), what);
  Config c;
  read_shape(in, c);
  read_rope(in, c);
  read_sparse_attention(in, c);
  read_mixture(in, c);
  read_streams(in, c);
  read_engram(in, c);
  read_draft(in, c);
  read_tokens_and_types(in, c);
  if (!in.error()) check_version_1(in, c);
  if (!in.error()) check_consistency(in, c);
  if (!in.error()) derive_roles(in, c);
  if (in.error()) return *in.error();
  return c;
}

}  // namespace bolide::model
