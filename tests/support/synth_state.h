// States that begin in the middle of a sequence, with seeded random caches: long positions without the tokens before.
#pragma once
#include <fmt/format.h>

#include "convert/synth.h"
#include "convert/synth_numbers.h"
#include "model/state.h"

namespace bolide::test {

// After `position` tokens (synth_token_ids), at an even position. Of the window only the newest rows exist. Each row is
// drawn by the rule of convert/synth_numbers.h under a name of its own. `config` has no drafter (its taps would need
// every position).
inline model::State synth_state(u64 seed, const model::Config& config, u64 position) {
  using convert::NumberRule;
  constexpr NumberRule kE4m3 = {.bytes = 1, .first = 0x3f, .spread = 63, .sign = 0x80};
  constexpr NumberRule kWindowScale = {.bytes = 1, .first = 118, .spread = 3};  // 2^-9 to 2^-6
  constexpr NumberRule kE2m1Pair = {.bytes = 1, .spread = 0xff};
  constexpr NumberRule kCompressedScale = {.bytes = 1, .first = 0x28, .spread = 15};  // E4M3, 0.25 to 1
  constexpr NumberRule kIndexScale = {.bytes = 1, .first = 124, .spread = 3};         // 2^-3 to 1

  const auto draw = [&](std::string name, std::vector<convert::NumberRun> runs, std::span<std::byte> row) {
    convert::fill_numbers(seed, {.name = std::move(name), .runs = std::move(runs)}, 0, row);
  };
  model::State state(config);
  state.ids = convert::synth_token_ids(seed, config, position);
  const u64 oldest = position > config.window_size ? position - config.window_size : 0;
  for (u32 layer = 0; layer < config.n_layers; ++layer) {
    auto& window = state.window[layer] = model::RowList<model::kWindowRowBytes>(oldest);
    for (u64 p = oldest; p < position; ++p) {
      draw(fmt::format("window {} {}", layer, p), {{512, kE4m3}, {16, kWindowScale}}, window.append());
    }
  }
  for (std::size_t owner = 0; owner < state.owners.size(); ++owner) {
    model::OwnerState& caches = state.owners[owner];
    for (u64 row = 0; row < position / caches.ratio; ++row) {
      draw(fmt::format("compressed {} {}", owner, row), {{256, kE2m1Pair}, {32, kCompressedScale}},
           caches.compressed.append());
      draw(fmt::format("index {} {}", owner, row), {{64, kE2m1Pair}, {4, kIndexScale}}, caches.index.append());
    }
  }
  return state;
}

}  // namespace bolide::test
