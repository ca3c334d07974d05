#include "plan/step_plan.h"

#include <algorithm>

#include "plan/weight_cost.h"

namespace bolide::plan {
namespace {

using formats::WeightType;
using model::Config;
using model::LayerRole;
using ops::Buffer;
using ops::Cost;
using ops::Op;
using ops::OpKind;
using ops::RowRange;
using ops::Weight;

// The newest `n` of `rows`.
RowRange newest(u32 rows, u64 n) {
  return {rows - static_cast<u32>(std::min<u64>(n, rows)), rows};
}

class PlanBuilder {
 public:
  PlanBuilder(const Config& config, const StepShape& shape, WeightType experts)
      : config_(config), shape_(shape), experts_(experts) {
    plan_.rows = shape.rows;
  }

  ops::Plan build() {
    embed();
    for (layer_ = 0; layer_ < config_.n_layers; ++layer_) {
      role_ = config_.roles[layer_];
      rows_ = layer_rows(config_, shape_, layer_);
      enter_layer();
      attention();
      mixture();
    }
    layer_ = model::kNone;
    finish();
    return std::move(plan_);
  }

 private:
  struct Operands {
    std::array<Buffer, 2> in;
    Buffer out;
  };

  void add(OpKind kind, RowRange rows, const Operands& operands, Weight weight = Weight::kNone, const Cost& cost = {}) {
    plan_.ops.push_back({kind, weight, layer_, rows, operands.in, operands.out, 0, cost});
  }
  void matvec_q(RowRange rows, Weight weight, Buffer in, Buffer out, u64 matrix_rows, u64 k) {
    add(OpKind::kMatvecQ, rows, {{in}, out}, weight, product_cost(WeightType::kQ8_0, 1, matrix_rows, k, rows.count()));
  }
  void matvec_f(RowRange rows, Weight weight, Buffer in, Buffer out, u64 matrix_rows, u64 k) {
    add(OpKind::kMatvecF, rows, {{in}, out}, weight, product_cost(WeightType::kBF16, 1, matrix_rows, k, rows.count()));
  }
  Cost norm_cost(u64 values) const { return vector_cost(WeightType::kBF16, values); }

  void embed() {
    Cost cost = norm_cost(u64{shape_.rows} * config_.dim);
    add(OpKind::kEmbed, {0, shape_.rows}, {{Buffer::kTokens}, Buffer::kStreams}, Weight::kEmbedding, cost);
  }

  // Everything before the attention: Engram, tap. The layer that owns the last KV cache needs them on every row.
  void enter_layer() {
    const RowRange rows = entered_rows();
    if (role_.engram != model::kNone) {
      add(OpKind::kQuantize, rows, {{Buffer::kEngramRows}, Buffer::kEngramRows});
      matvec_q(rows, Weight::kEngramProjection, Buffer::kEngramRows, Buffer::kEngramProjected,
               u64{config_.hc_mult + 1} * config_.dim, config_.engram.width());
      add(OpKind::kEngramGate, rows, {{Buffer::kStreams, Buffer::kEngramProjected}, Buffer::kStreams},
          Weight::kEngramGate, norm_cost(u64{2} * config_.streams_width()));
    }
    if (role_.tap != model::kNone) add(OpKind::kTap, rows, {{Buffer::kStreams}, Buffer::kTaps});
  }

  // The rows whose streams must be known in this layer.
  RowRange entered_rows() const { return role_.owns_kv ? RowRange{0, shape_.rows} : rows_.window; }

  // The mHC mix runs beside the sub-block: its coefficients are wanted only at its end.
  void enter_block(RowRange entered, RowRange whole, Weight mix, Weight norm) {
    add(OpKind::kHcMix, whole, {{Buffer::kStreams}, Buffer::kMix}, mix,
        product_cost(WeightType::kF32, 1, config_.mix_width(), config_.streams_width(), whole.count()) +
            vector_cost(WeightType::kF32, config_.mix_width() + 3));
    add(OpKind::kHcEnter, entered, {{Buffer::kStreams}, Buffer::kInput}, norm, norm_cost(config_.dim));
  }

  void attention() {
    enter_block(entered_rows(), rows_.whole, Weight::kAttentionMix, Weight::kAttentionNorm);
    if (role_.owns_kv) compress();
    matvec_q(rows_.window, Weight::kWindow, Buffer::kInput, Buffer::kWindowInput, config_.head_dim, config_.dim);
    add(OpKind::kWindowRow, rows_.window, {{Buffer::kWindowInput}, Buffer::kSession}, Weight::kWindowNorm,
        norm_cost(config_.head_dim));
    query();
    if (role_.owns_index) select();
    add(OpKind::kAttention, rows_.whole,
        {{Buffer::kQuery, role_.kv_owner == model::kNone ? Buffer::kNothing : Buffer::kSelected}, Buffer::kAttended},
        Weight::kSinks, vector_cost(WeightType::kF32, config_.n_heads));
    add(OpKind::kAttentionOut, rows_.whole, {{Buffer::kAttended}, Buffer::kAttended});
    matvec_q(rows_.whole, Weight::kGroups, Buffer::kAttended, Buffer::kGroups,
             u64{config_.o_groups} * config_.o_lora_rank, config_.group_width());
    add(OpKind::kQuantize, rows_.whole, {{Buffer::kGroups}, Buffer::kGroups});
    matvec_q(rows_.whole, Weight::kAttentionOutput, Buffer::kGroups, Buffer::kOutput, config_.dim,
             u64{config_.o_groups} * config_.o_lora_rank);
    add(OpKind::kHcExpand, rows_.whole, {{Buffer::kOutput, Buffer::kMix}, Buffer::kStreams});
  }

  // On every row: the cache that this layer owns holds every token.
  void compress() {
    const RowRange all = entered_rows();
    matvec_f(all, Weight::kCompressor, Buffer::kInput, Buffer::kLatent, config_.head_dim, config_.dim);
    if (role_.ratio == 2) {
      matvec_f(all, Weight::kCompressorGate, Buffer::kInput, Buffer::kGate, config_.head_dim, config_.dim);
    }
    add(OpKind::kCompress, all,
        {{Buffer::kLatent, role_.ratio == 2 ? Buffer::kGate : Buffer::kNothing}, Buffer::kLatent},
        Weight::kCompressorNorm, norm_cost(config_.head_dim));
    matvec_f(all, Weight::kIndexKey, Buffer::kLatent, Buffer::kIndexKeyInput, config_.index_head_dim, config_.head_dim);
    add(OpKind::kIndexKey, all, {{Buffer::kIndexKeyInput}, Buffer::kSession}, Weight::kIndexKeyNorm,
        norm_cost(config_.index_head_dim));
  }

  void query() {
    matvec_q(rows_.whole, Weight::kQueryDown, Buffer::kInput, Buffer::kLowRank, config_.q_lora_rank, config_.dim);
    add(OpKind::kQNormQuantize, rows_.whole, {{Buffer::kLowRank}, Buffer::kLowRank}, Weight::kQueryNorm,
        norm_cost(config_.q_lora_rank));
    matvec_q(rows_.whole, Weight::kQueryUp, Buffer::kLowRank, Buffer::kQuery, u64{config_.n_heads} * config_.head_dim,
             config_.q_lora_rank);
    add(OpKind::kQueryRope, rows_.whole, {{Buffer::kQuery}, Buffer::kQuery});
  }

  void select() {
    matvec_q(rows_.whole, Weight::kIndexQuery, Buffer::kLowRank, Buffer::kIndexQuery,
             u64{config_.index_n_heads} * config_.index_head_dim, config_.q_lora_rank);
    matvec_f(rows_.whole, Weight::kIndexWeights, Buffer::kInput, Buffer::kIndexWeights, config_.index_n_heads,
             config_.dim);
    add(OpKind::kIndexQuery, rows_.whole, {{Buffer::kIndexQuery, Buffer::kIndexWeights}, Buffer::kIndexQuery});
    add(OpKind::kIndexScore, rows_.whole,
        {{Buffer::kIndexQuery,
          role_.applies_candidates && !role_.makes_candidates ? Buffer::kBlocks : Buffer::kNothing},
         Buffer::kScores});
    if (role_.makes_candidates) add(OpKind::kCandidateBlocks, rows_.whole, {{Buffer::kScores}, Buffer::kBlocks});
    add(OpKind::kSelectRows, rows_.whole, {{Buffer::kScores}, Buffer::kSelected});
  }

  void mixture() {
    const RowRange rows = rows_.whole;
    enter_block(rows, rows, Weight::kMixtureMix, Weight::kMixtureNorm);
    matvec_f(rows, Weight::kRouter, Buffer::kInput, Buffer::kRouterLogits, config_.n_routed_experts, config_.dim);
    add(OpKind::kRoute, rows, {{Buffer::kRouterLogits}, Buffer::kExperts}, Weight::kRouterBias,
        vector_cost(WeightType::kF32, u64{config_.n_routed_experts} * (config_.has_vision ? 2 : 1)));
    const Cost gate_up = expert_cost(config_.moe_inter_dim, config_.dim);
    add(OpKind::kExpertGateUp, rows, {{Buffer::kInput, Buffer::kExperts}, Buffer::kHidden}, Weight::kExperts,
        gate_up + gate_up);
    add(OpKind::kExpertDown, rows, {{Buffer::kHidden, Buffer::kExperts}, Buffer::kOutput}, Weight::kExperts,
        expert_cost(config_.dim, config_.moe_inter_dim));
    add(OpKind::kHcExpand, rows, {{Buffer::kOutput, Buffer::kMix}, Buffer::kStreams});
  }

  // One matrix of the distinct used experts and of the shared one.
  Cost expert_cost(u64 matrix_rows, u64 k) const {
    const u64 uses = u64{rows_.whole.count()} * config_.n_activated_experts;
    const u64 most = std::min<u64>(config_.n_routed_experts, uses);
    const u64 distinct = shape_.distinct_experts == 0 ? most : std::min<u64>(most, shape_.distinct_experts);
    return product_cost(experts_, distinct, matrix_rows, k, uses) +
           product_cost(WeightType::kQ8_0, 1, matrix_rows, k, rows_.whole.count());
  }

  void finish() {
    const RowRange rows = newest(shape_.rows, shape_.logits_rows);
    if (rows.count() == 0) return;
    add(OpKind::kFinalNorm, rows, {{Buffer::kStreams}, Buffer::kFinal}, Weight::kFinalNorm, norm_cost(config_.dim));
    add(OpKind::kLogits, rows, {{Buffer::kFinal}, Buffer::kLogits}, Weight::kHead,
        product_cost(WeightType::kQ8_0, 1, config_.vocab_size, config_.dim, rows.count()));
    add(OpKind::kTopCandidates, rows, {{Buffer::kLogits}, Buffer::kTop});
  }

  const Config& config_;
  const StepShape& shape_;
  WeightType experts_;
  ops::Plan plan_;
  u32 layer_ = model::kNone;
  LayerRole role_;
  LayerRows rows_;
};

}  // namespace

LayerRows layer_rows(const Config& config, const StepShape& shape, u32 layer) {
  if (shape.complete_rows == 0 || layer < config.decoder_start()) return {{0, shape.rows}, {0, shape.rows}};
  // Layer L is needed whole by the windows of the layers behind it: window - 1 more rows for each.
  const u64 window = config.window_size - 1;
  const u64 whole = shape.complete_rows + window * (config.n_layers - 1 - layer);
  return {newest(shape.rows, whole), newest(shape.rows, whole + window)};
}

ops::Plan step_plan(const Config& config, const StepShape& shape, WeightType experts) {
  return PlanBuilder(config, shape, experts).build();
}

}  // namespace bolide::plan
