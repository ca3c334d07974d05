// The state of one token sequence as the plain forwards and the oracle keep it: every row of every layer from position
// 0 on. (Room session keeps pages and drops old window rows; the bytes are the same.)
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "base/sha256.h"
#include "model/config.h"
#include "model/state_layout.h"

namespace bolide::model {

// Rows of one kind, one after the other.
template <u32 RowBytes>
class RowList {
 public:
  RowList() = default;
  // A list whose rows before `first` are not kept and never asked for (states that tests start far into a sequence).
  explicit RowList(u64 first) : first_(first) {}

  u64 size() const { return first_ + bytes_.size() / RowBytes; }
  std::span<std::byte, RowBytes> append() {
    bytes_.resize(bytes_.size() + RowBytes);
    return std::span<std::byte, RowBytes>(bytes_.end() - RowBytes, RowBytes);
  }
  std::span<const std::byte, RowBytes> row(u64 i) const {
    return std::span<const std::byte, RowBytes>(&bytes_[(i - first_) * RowBytes], RowBytes);
  }
  Bytes rows(u64 first, u64 end) const {
    return Bytes(bytes_).subspan((first - first_) * RowBytes, (end - first) * RowBytes);
  }
  void truncate(u64 n) { bytes_.resize((n - first_) * RowBytes); }

 private:
  u64 first_ = 0;
  std::vector<std::byte> bytes_;
};

// What a ratio-2 compressor keeps of an unpaired even token: key and gate, binary32 (spec model.md 3.5).
struct PoolingTail {
  std::array<float, kHeadDim> key;
  std::array<float, kHeadDim> gate;
};

// The caches of one KV owner.
struct OwnerState {
  u32 ratio;
  RowList<kCompressedRowBytes> compressed;
  RowList<kIndexRowBytes> index;
  std::optional<PoolingTail> tail;
};

// Everything needed to continue after `ids`. A value: copying forks the session.
struct State {
  explicit State(const Config& config);

  u64 position() const { return ids.size(); }
  OwnerState& owner(u32 layer) { return owners[owner_of_layer[layer]]; }
  const OwnerState& owner(u32 layer) const { return owners[owner_of_layer[layer]]; }

  // Goes back to the largest even position <= p, where no pooling tail is needed; returns it.
  u64 rewind(u64 p);

  std::vector<u32> ids;
  std::vector<RowList<kWindowRowBytes>> window;        // per layer
  std::vector<OwnerState> owners;                      // per KV owner, ascending
  std::vector<u32> owner_of_layer;                     // index into owners, per layer; kNone where a layer owns nothing
  std::vector<u16> taps;                               // BF16 codes, tap_width a position; empty without a drafter
  std::vector<RowList<kWindowRowBytes>> draft_window;  // per draft stage
  u32 tap_width;
  u32 window_size;
};

// State hash(P = state.position()) of interfaces.md. `compressed_ids`: those of tokens P-1, P-2, P-3, -1 where there is
// none.
Sha256Digest state_hash(const State& state, std::span<const i32, 3> compressed_ids);
// Taps hash and draft hash of interfaces.md, over the last min(P, 128) positions.
Sha256Digest taps_hash(const State& state);
Sha256Digest draft_hash(const State& state);

}  // namespace bolide::model
