// The attention sub-block of a trunk layer over the rows of a step: window rows and compressed rows of all rows first,
// then every row attends to what it may see (spec model.md 3.4 to 3.8).
#include <cmath>
#include <fmt/format.h>

#include "arith/bf16.h"
#include "model/forward_row.h"
#include "model/index_score.h"
#include "model/rope.h"
#include "model/selection.h"

namespace bolide::model {
namespace {

void round_to_bf16(std::span<float> values) {
  for (float& value : values) value = arith::bf16(value);
}

// The first position of the window of the query at `position`.
u64 window_start(u64 position, u32 window_size) {
  return position + 1 > window_size ? position + 1 - window_size : 0;
}

// The list a query attends to, decoded: window positions ascending, then selected compressed rows ascending.
std::vector<float> gather_entries(const RowList<kWindowRowBytes>& window, u64 first, u64 end, const OwnerState* caches,
                                  std::span<const u32> selected) {
  std::vector<float> entries((end - first + selected.size()) * kHeadDim);
  float* out = entries.data();
  for (u64 position = first; position < end; ++position, out += kHeadDim) {
    decode_window_row(window.row(position), std::span<float, kHeadDim>(out, kHeadDim));
  }
  check(selected.empty() || caches != nullptr, "rows are selected only in layers with a KV owner");
  for (const u32 row : selected) {
    decode_compressed_row(caches->compressed.row(row), std::span<float, kHeadDim>(out, kHeadDim));
    out += kHeadDim;
  }
  return entries;
}

}  // namespace

Status Forward::attention(u32 layer, State& state, std::vector<Row>& rows) const {
  const LayerRole& role = model_.config.roles[layer];
  const Block block(model_.config, arithmetic_, model_.weights.layers[layer], rope_kind(layer));
  std::vector<Entered> entered;
  entered.reserve(rows.size());
  for (const Row& row : rows) {
    entered.push_back(block.enter_attention(row.streams));
    block.window_row(entered.back().x, row.position, state.window[layer].append());
    if (!role.owns_kv) continue;
    if (Status status = compress(layer, state.owner(layer), entered.back().x, row.position); !status) return status;
  }
  const OwnerState* caches = role.kv_owner == kNone ? nullptr : &state.owner(role.kv_owner);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    const Block::Query query = block.query(entered[i].x, row.position);
    if (role.owns_index) {
      check(caches != nullptr, "Config gives every layer with an indexer a KV owner");
      if (Status status = select(layer, *caches, query.low_rank, entered[i].x, row); !status) return status;
    }
    const std::span<const u32> selected = caches == nullptr ? std::span<const u32>() : row.selected;
    const std::vector<float> entries = gather_entries(
        state.window[layer], window_start(row.position, model_.config.window_size), row.position + 1, caches, selected);
    expand(entered[i].mix, block.attend(query, row.position, entries), row.streams);
  }
  return {};
}

// The compressor of a KV owner: one latent per `ratio` tokens becomes an index key and a compressed row (spec 3.5).
Status Forward::compress(u32 layer, OwnerState& caches, std::span<const float> x, u64 position) const {
  const CompressorWeights& w = *model_.weights.layers[layer].compressor;
  std::array<float, kHeadDim> latent;
  arithmetic_.float_linear(w.wkv, x, latent);
  if (caches.ratio == 1) {
    round_to_bf16(latent);
  } else {
    std::array<float, kHeadDim> gate;
    arithmetic_.float_linear(w.wgate, x, gate);
    if (position % 2 == 0) {
      caches.tail = PoolingTail{latent, gate};
      return check_finite(gate, position, fmt::format("the compressor's gate of layer {}", layer));
    }
    const PoolingTail even = *caches.tail;
    caches.tail.reset();
    arithmetic_.pool_pair(even.key, even.gate, latent, gate, latent);
  }
  arithmetic_.norm(latent, w.norm, latent);

  const RopeRow rope = arithmetic_.rope_row(RopeKind::kCompressed, position + 1 - caches.ratio);
  std::array<float, kIndexHeadDim> key;
  arithmetic_.float_linear(w.index_key, latent, key);
  round_to_bf16(key);
  arithmetic_.norm(key, w.index_key_norm, key);
  rotate(key, rope);
  rotate(latent, rope);
  // FP4 has no code for a fault, so it is looked for before it would be hidden.
  if (Status status = check_finite(key, position, fmt::format("the index key of layer {}", layer)); !status)
    return status;
  if (Status status = check_finite(latent, position, fmt::format("the compressed row of layer {}", layer)); !status) {
    return status;
  }
  encode_index_row(key, caches.index.append());
  encode_compressed_row(latent, caches.compressed.append());
  return {};
}

// The indexer: scores every visible row and keeps the best, among the candidate blocks where the layer applies them
// (spec 3.6).
Status Forward::select(u32 layer, const OwnerState& caches, std::span<const float> low_rank, std::span<const float> x,
                       Row& row) const {
  const Config& c = model_.config;
  const LayerRole& role = c.roles[layer];
  const IndexerWeights& w = *model_.weights.layers[layer].indexer;
  std::vector<float> q(w.wq_b.rows);
  arithmetic_.linear(w.wq_b, 0, low_rank, q);
  const RopeRow rope = arithmetic_.rope_row(RopeKind::kCompressed, row.position);
  for (u32 head = 0; head < c.index_n_heads; ++head) {
    rotate(std::span(q).subspan(u64{head} * kIndexHeadDim, kIndexHeadDim), rope);
  }
  std::vector<float> weights(c.index_n_heads);
  arithmetic_.float_linear(w.weights_proj, x, weights);
  const float scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(c.index_head_dim) * c.index_n_heads));
  for (float& weight : weights) weight = arith::bf16(arith::bf16(weight) * scale);
  const std::string place = fmt::format("the indexer of layer {}", layer);
  if (Status status = check_finite(q, row.position, place); !status) return status;

  const u64 visible = (row.position + 1) / caches.ratio;
  std::vector<float> scores = IndexQuery(q, weights).scores(caches.index.rows(0, visible));
  if (Status status = check_finite(scores, row.position, place); !status) return status;
  if (role.makes_candidates)
    row.candidate_blocks = candidate_blocks(scores, c.candidate_block_size, c.candidate_topk_blocks);
  if (role.applies_candidates) keep_blocks(scores, row.candidate_blocks, c.candidate_block_size);
  row.selected = top_k(scores, c.index_topk);
  return {};
}

}  // namespace bolide::model
