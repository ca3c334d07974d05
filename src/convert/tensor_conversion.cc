#include "convert/tensor_conversion.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "convert/tiles.h"
#include "model/checkpoint_accounting.h"

namespace bolide::convert {
namespace {

using formats::kTileRows;
using formats::Tensor;
using formats::WeightType;

constexpr u64 kPieceBytes = 1 << 20;

// Finds a tensor's parts and checks their values.
class Source {
 public:
  explicit Source(const formats::Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

  // The tensor's bytes, all of them finite numbers.
  Result<Bytes> read(const std::string& name) {
    const Tensor* tensor = checkpoint_.find(name);
    check(tensor != nullptr, "every tensor was accounted for");
    if (Status finite = model::refuse_non_finite(*tensor); !finite) {
      return Error{fmt::format("{}: {}", checkpoint_.shards()[tensor->shard].path(), finite.error().message)};
    }
    bytes_read_ += tensor->data.size();
    return tensor->data;
  }

  u64 bytes_read() const { return bytes_read_; }

 private:
  const formats::Checkpoint& checkpoint_;
  u64 bytes_read_ = 0;
};

Status append_rows(Bytes rows, const Append& append) {
  while (!rows.empty()) {
    const Bytes piece = rows.first(std::min<u64>(rows.size(), kPieceBytes));
    if (Status appended = append(piece); !appended) return appended;
    rows = rows.subspan(piece.size());
  }
  return {};
}

// Plain rows as tiles: several at a time, so that small ones make no small writes.
Status append_tiles(Bytes rows, u64 row_bytes, u64 piece_bytes, const Append& append) {
  const u64 tile_bytes = kTileRows * row_bytes;
  std::vector<std::byte> tiles(std::max<u64>(kPieceBytes / tile_bytes, 1) * tile_bytes);
  while (!rows.empty()) {
    u64 filled = 0;
    for (; filled < tiles.size() && !rows.empty(); filled += tile_bytes) {
      const Bytes of_tile = rows.first(std::min<u64>(rows.size(), tile_bytes));
      fill_tile(of_tile, row_bytes, piece_bytes, std::span(tiles).subspan(filled, tile_bytes));
      rows = rows.subspan(of_tile.size());
    }
    if (Status appended = append(Bytes(tiles).first(filled)); !appended) return appended;
  }
  return {};
}

Status convert_floats(const model::TensorSpec& spec, Source& source, const Append& append) {
  const Result<Bytes> rows = source.read(spec.name);
  if (!rows) return rows.error();
  if (spec.packed.form == formats::Form::kPlain) return append_rows(*rows, append);
  const u64 element_bytes = formats::float_bytes(spec.packed.type);
  return append_tiles(*rows, spec.packed.columns * element_bytes, 4 * element_bytes, append);
}

// All experts' codes, then all experts' scales.
Status convert_experts(const model::TensorSpec& spec, Source& source, const Append& append) {
  for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
    const Result<Bytes> codes = source.read(spec.expert_name(expert));
    if (!codes) return codes.error();
    if (Status done = append_tiles(*codes, spec.packed.columns / 2, 16, append); !done) return done;
  }
  for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
    const Result<Bytes> scales = source.read(spec.expert_scale_name(expert));
    if (!scales) return scales.error();
    if (Status done = append_tiles(*scales, spec.packed.columns / 32, 1, append); !done) return done;
  }
  return {};
}

Status convert_to_q8_0(const model::TensorSpec& spec, Source& source, const Append& append, SmallBlocks& small) {
  const Result<Bytes> weights = source.read(spec.name);
  if (!weights) return weights.error();
  MatrixSource matrix{.type = MatrixSource::Type::kBf16,
                      .codes = *weights,
                      .scales = {},
                      .rows = spec.packed.rows,
                      .columns = spec.packed.columns};
  if (spec.checkpoint == model::CheckpointFormat::kFp8) {
    const Result<Bytes> scales = source.read(spec.expert_scale_name(0));
    if (!scales) return scales.error();
    matrix.type = MatrixSource::Type::kFp8;
    matrix.scales = *scales;
  }
  if (Status appended = append_q8_0(matrix, append, small); !appended) {
    return Error{fmt::format("tensor {}: {}", spec.name, appended.error().message)};
  }
  return {};
}

}  // namespace

Status append_q8_0(const MatrixSource& matrix, const Append& append, SmallBlocks& small) {
  const u64 tiles = (matrix.rows + kTileRows - 1) / kTileRows;
  const u64 scale_bytes = 2 * matrix.columns;  // of a tile: 32 rows, K / 32 blocks, F16
  std::vector<std::byte> codes(kTileRows * matrix.columns);
  std::vector<std::byte> all_scales(tiles * scale_bytes);
  for (u64 tile = 0; tile < tiles; ++tile) {
    const auto scales = std::span(all_scales).subspan(tile * scale_bytes, scale_bytes);
    if (Status filled = fill_q8_0_tile(matrix, tile, codes, scales, small); !filled) return filled;
    if (Status appended = append(codes); !appended) return appended;
  }
  return append(all_scales);
}

Result<TensorConversion> convert_tensor(const model::TensorSpec& spec, const formats::Checkpoint& checkpoint,
                                        const Append& append) {
  Source source(checkpoint);
  TensorConversion conversion;
  Status status;
  if (spec.packed.type == WeightType::kQ8_0) {
    status = convert_to_q8_0(spec, source, append, conversion.small);
  } else if (spec.packed.type == WeightType::kMXFP4) {
    status = convert_experts(spec, source, append);
  } else {
    status = convert_floats(spec, source, append);
  }
  if (!status) return status.error();
  conversion.bytes_in = source.bytes_read();
  return conversion;
}

}  // namespace bolide::convert
