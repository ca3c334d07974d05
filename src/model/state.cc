#include "model/state.h"

#include <algorithm>

namespace bolide::model {
namespace {

// The hashes cover the rows that the next position's window can still see.
u64 first_hashed(const State& state) {
  return state.position() > state.window_size ? state.position() - state.window_size : 0;
}

}  // namespace

State::State(const Config& config)
    : window(config.n_layers),
      owner_of_layer(config.n_layers, kNone),
      draft_window(config.draft.n_stages),
      tap_width(config.tap_width()),
      window_size(config.window_size) {
  for (u32 layer = 0; layer < config.n_layers; ++layer) {
    if (!config.roles[layer].owns_kv) continue;
    owner_of_layer[layer] = static_cast<u32>(owners.size());
    owners.push_back({config.roles[layer].ratio, {}, {}, {}});
  }
}

u64 State::rewind(u64 p) {
  const u64 even = std::min(p, position()) / 2 * 2;
  ids.resize(even);
  for (auto& rows : window) rows.truncate(even);
  for (auto& rows : draft_window) rows.truncate(even);
  taps.resize(even * tap_width);
  for (OwnerState& caches : owners) {
    caches.compressed.truncate(even / caches.ratio);
    caches.index.truncate(even / caches.ratio);
    caches.tail.reset();
  }
  return even;
}

Sha256Digest state_hash(const State& state, std::span<const i32, 3> compressed_ids) {
  Sha256 hash;
  hash.update("A1-STATE");
  hash.update_number(state.position());
  hash.update_numbers(std::span<const u32>(state.ids));
  hash.update_numbers(std::span<const i32>(compressed_ids));
  for (const auto& rows : state.window) hash.update(rows.rows(first_hashed(state), state.position()));
  for (const OwnerState& caches : state.owners) {
    hash.update(caches.compressed.rows(0, caches.compressed.size()));
    hash.update(caches.index.rows(0, caches.index.size()));
    if (!caches.tail) continue;
    hash.update_numbers(std::span<const float>(caches.tail->key));
    hash.update_numbers(std::span<const float>(caches.tail->gate));
  }
  return hash.finish();
}

Sha256Digest taps_hash(const State& state) {
  Sha256 hash;
  hash.update_numbers(std::span<const u16>(state.taps).subspan(first_hashed(state) * state.tap_width));
  return hash.finish();
}

Sha256Digest draft_hash(const State& state) {
  Sha256 hash;
  hash.update("A1-DRAFT");
  hash.update_number(state.position());
  for (u64 position = first_hashed(state); position < state.position(); ++position) {
    for (const auto& rows : state.draft_window) hash.update(rows.rows(position, position + 1));
  }
  return hash.finish();
}

}  // namespace bolide::model
