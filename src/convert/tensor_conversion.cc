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

// Finds a tensor's parts and counts their bytes.
class Source {
 public:
  explicit Source(const formats::Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

  SourceBytes part(const std::string& name) {
    SourceBytes bytes = source_bytes(checkpoint_, name);
    bytes_read_ += bytes.size();
    return bytes;
  }

  u64 bytes_read() const { return bytes_read_; }

 private:
  const formats::Checkpoint& checkpoint_;
  u64 bytes_read_ = 0;
};

// `row_bytes` is the size of a unit that no piece divides.
Status append_rows(SourceBytes rows, u64 row_bytes, const Append& append) {
  const u64 piece_bytes = std::max<u64>(kPieceBytes / row_bytes, 1) * row_bytes;
  for (u64 first = 0; first < rows.size(); first += piece_bytes) {
    const Result<Bytes> piece = rows.at(first, std::min(piece_bytes, rows.size() - first));
    if (!piece) return piece.error();
    if (Status appended = append(*piece); !appended) return appended;
  }
  return {};
}

// Plain rows as tiles: several at a time, so that small ones make no small writes.
Status append_tiles(SourceBytes rows, u64 row_bytes, u64 piece_bytes, const Append& append) {
  const u64 tile_bytes = kTileRows * row_bytes;
  std::vector<std::byte> tiles(std::max<u64>(kPieceBytes / tile_bytes, 1) * tile_bytes);
  for (u64 first = 0; first < rows.size();) {
    u64 filled = 0;
    for (; filled < tiles.size() && first < rows.size(); filled += tile_bytes, first += tile_bytes) {
      const Result<Bytes> of_tile = rows.at(first, std::min(tile_bytes, rows.size() - first));
      if (!of_tile) return of_tile.error();
      fill_tile(*of_tile, row_bytes, piece_bytes, std::span(tiles).subspan(filled, tile_bytes));
    }
    if (Status appended = append(Bytes(tiles).first(filled)); !appended) return appended;
  }
  return {};
}

Status convert_floats(const model::TensorSpec& spec, Source& source, const Append& append) {
  const u64 element_bytes = formats::float_bytes(spec.packed.type);
  const u64 row_bytes = spec.packed.columns * element_bytes;
  if (spec.packed.form == formats::Form::kPlain) return append_rows(source.part(spec.name), row_bytes, append);
  return append_tiles(source.part(spec.name), row_bytes, 4 * element_bytes, append);
}

// All experts' codes, then all experts' scales.
Status convert_experts(const model::TensorSpec& spec, Source& source, const Append& append) {
  for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
    SourceBytes codes = source.part(spec.expert_name(expert));
    if (Status done = append_tiles(std::move(codes), spec.packed.columns / 2, 16, append); !done) return done;
  }
  for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
    SourceBytes scales = source.part(spec.expert_scale_name(expert));
    if (Status done = append_tiles(std::move(scales), spec.packed.columns / 32, 1, append); !done) return done;
  }
  return {};
}

Status convert_to_q8_0(const model::TensorSpec& spec, Source& source, const Append& append, SmallBlocks& small) {
  SourceBytes codes = source.part(spec.name);
  SourceBytes scales({});
  if (spec.checkpoint == model::CheckpointFormat::kFp8) scales = source.part(spec.expert_scale_name(0));
  const auto read = [&](u64 tile) { return read_matrix_rows(spec, codes, scales, tile); };
  const Status appended = append_q8_0(spec.packed.rows, spec.packed.columns, read, append, small);
  return appended ? appended : Status(Error{fmt::format("tensor {}: {}", spec.name, appended.error().message)});
}

}  // namespace

SourceBytes source_bytes(const formats::Checkpoint& checkpoint, const std::string& name) {
  const Tensor* tensor = checkpoint.find(name);
  check(tensor != nullptr, "every tensor was accounted for");
  const MappedFile& shard = checkpoint.shards()[tensor->shard];
  return SourceBytes({.file = &shard, .offset = tensor->file_offset, .bytes = tensor->bytes},
                     [tensor, &shard](u64 first, Bytes piece) -> Status {
                       const Status finite = model::refuse_non_finite(*tensor, first, piece);
                       if (finite) return finite;
                       return Error{fmt::format("{}: {}", shard.path(), finite.error().message)};
                     });
}

Result<MatrixRows> read_matrix_rows(const model::TensorSpec& spec, SourceBytes& codes, SourceBytes& scales, u64 tile) {
  const bool is_fp8 = spec.checkpoint == model::CheckpointFormat::kFp8;
  MatrixRows rows{.type = is_fp8 ? MatrixRows::Type::kFp8 : MatrixRows::Type::kBf16,
                  .codes = {},
                  .scales = {},
                  .first_row = tile * kTileRows,
                  .rows = std::min(kTileRows, spec.packed.rows - tile * kTileRows),
                  .columns = spec.packed.columns};
  const u64 row_bytes = rows.columns * (is_fp8 ? 1 : 2);
  const Result<Bytes> of_codes = codes.at(rows.first_row * row_bytes, rows.rows * row_bytes);
  if (!of_codes) return of_codes.error();
  rows.codes = *of_codes;
  if (!is_fp8) return rows;
  const u64 n_scales = rows.columns / 32;  // for 32 rows
  const Result<Bytes> of_scales = scales.at(tile * n_scales, n_scales);
  if (!of_scales) return of_scales.error();
  rows.scales = *of_scales;
  return rows;
}

Status append_q8_0(u64 rows, u64 columns, const ReadRows& read, const Append& append, SmallBlocks& small) {
  const u64 tiles = (rows + kTileRows - 1) / kTileRows;
  const u64 scale_bytes = 2 * columns;  // of a tile: 32 rows, K / 32 blocks, F16
  std::vector<std::byte> codes(kTileRows * columns);
  std::vector<std::byte> all_scales(tiles * scale_bytes);
  for (u64 tile = 0; tile < tiles; ++tile) {
    const Result<MatrixRows> of_tile = read(tile);
    if (!of_tile) return of_tile.error();
    const auto scales = std::span(all_scales).subspan(tile * scale_bytes, scale_bytes);
    if (Status filled = fill_q8_0_tile(*of_tile, codes, scales, small); !filled) return filled;
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
