#include "convert/tensor_reader.h"

#include <algorithm>
#include <array>
#include <vector>

#include "arith/e4m3.h"
#include "arith/e8m0.h"
#include "arith/f16.h"
#include "convert/float_rows.h"
#include "convert/tiles.h"

namespace bolide::convert {
namespace {

using formats::kTileRows;
using formats::tile_offset;
using formats::WeightType;
using model::CheckpointFormat;
using model::TensorSpec;

class PackedReader final : public TensorReader {
 public:
  PackedReader(const TensorSpec& spec, const formats::Placement& place, const MappedFile& file)
      : TensorReader(spec),
        place_(place),
        codes_({.file = &file, .offset = place.codes_offset, .bytes = place.codes_bytes}),
        scales_({.file = &file, .offset = place.scales_offset, .bytes = place.scales_bytes}),
        block_scales_({.file = &file, .offset = place.scales_offset, .bytes = place.scales_bytes}) {}

  Result<PackedTile> tile(u64 expert, u64 tile, SmallBlocks&) override {
    PackedTile planes;
    const u64 scales = expert * place_.scales_stride;
    if (Status read = part(codes_, expert * place_.codes_stride, tile, Plane::kCodes, planes.codes); !read) {
      return read.error();
    }
    if (Status read = part(scales_, scales, tile, Plane::kScales, planes.scales); !read) return read.error();
    if (spec().packed.type != WeightType::kQ4_K) return planes;
    const u64 block_scales = scales + formats::q4_k_block_scales_offset(spec().packed);
    if (Status read = part(block_scales_, block_scales, tile, Plane::kBlockScales, planes.block_scales); !read) {
      return read.error();
    }
    return planes;
  }

  Status row(u64 row, std::span<float> values) override {
    const u64 columns = values.size();
    const WeightType type = spec().packed.type;
    const u64 tile = row / kTileRows;
    const u64 in_tile = row % kTileRows;
    if (type == WeightType::kQ8_0) {
      Bytes codes, scales;
      if (Status read = part(codes_, 0, tile, Plane::kCodes, codes); !read) return read;
      if (Status read = part(scales_, 0, tile, Plane::kScales, scales); !read) return read;
      for (u64 k = 0; k < columns; ++k) {
        const u64 block = tile_offset(in_tile, k / 32, columns / 32, 1);
        values[k] = arith::f16_value(load<u16>(&scales[2 * block])) *
                    static_cast<float>(static_cast<i8>(codes[32 * block + k % 32]));
      }
      return {};
    }
    const formats::GgufType stored = formats::gguf_type(type);
    const u64 bytes = formats::row_bytes(stored, columns);
    if (spec().packed.form == formats::Form::kPlain) {
      const Result<Bytes> plain = codes_.at(row * bytes, bytes);
      if (!plain) return plain.error();
      decode_row(stored, *plain, values);
      return {};
    }
    const Result<Bytes> codes = codes_.at(tile * kTileRows * bytes, kTileRows * bytes);
    if (!codes) return codes.error();
    const u64 piece = bytes / (columns / 4);
    for (u64 k = 0; k < columns; k += 4) {
      const u64 at = tile_offset(in_tile, k / 4, columns / 4, piece);
      decode_row(stored, codes->subspan(at, piece), values.subspan(k, 4));
    }
    return {};
  }

 private:
  // A tile of the plane that begins at byte `plane`.
  Status part(SourceBytes& bytes, u64 plane, u64 tile, Plane which, Bytes& found) const {
    const u64 of_tile = tile_bytes(spec().packed.type, which, spec().packed.columns);
    const Result<Bytes> read = bytes.at(plane + tile * of_tile, of_tile);
    if (!read) return read.error();
    found = *read;
    return {};
  }

  formats::Placement place_;
  SourceBytes codes_;
  SourceBytes scales_;
  SourceBytes block_scales_;  // of Q4_K
};

bool has_scales(const TensorSpec& spec) {
  return spec.checkpoint == CheckpointFormat::kFp8 || spec.checkpoint == CheckpointFormat::kFp4;
}

class CheckpointReader final : public TensorReader {
 public:
  CheckpointReader(const TensorSpec& spec, const formats::Checkpoint& checkpoint)
      : TensorReader(spec), checkpoint_(checkpoint), codes_({}), scales_({}) {
    open(0);
    if (!formats::is_quantized(spec.packed.type)) return;
    tile_codes_.resize(tile_bytes(spec.packed.type, Plane::kCodes, spec.packed.columns));
    tile_scales_.resize(tile_bytes(spec.packed.type, Plane::kScales, spec.packed.columns));
  }

  Result<PackedTile> tile(u64 expert, u64 tile, SmallBlocks& small) override {
    if (expert != expert_) open(expert);
    const Status filled = spec().packed.type == WeightType::kMXFP4 ? fill_mxfp4(tile) : fill_q8_0(tile, small);
    if (!filled) return filled.error();
    return PackedTile{.codes = tile_codes_, .scales = tile_scales_, .block_scales = {}};
  }

  Status row(u64 row, std::span<float> values) override {
    const u64 columns = values.size();
    if (spec().checkpoint != CheckpointFormat::kFp8) {
      const formats::GgufType type =
          spec().checkpoint == CheckpointFormat::kF32 ? formats::GgufType::kF32 : formats::GgufType::kBF16;
      const u64 bytes = formats::row_bytes(type, columns);
      const Result<Bytes> codes = codes_.at(row * bytes, bytes);
      if (!codes) return codes.error();
      decode_row(type, *codes, values);
      return {};
    }
    const Result<Bytes> codes = codes_.at(row * columns, columns);
    if (!codes) return codes.error();
    const u64 n_scales = (columns + 31) / 32;
    const Result<Bytes> scales = scales_.at(row / 32 * n_scales, n_scales);
    if (!scales) return scales.error();
    for (u64 k = 0; k < columns; ++k) {
      values[k] = arith::e4m3_value(byte_at(*codes, k)) * arith::e8m0_value(byte_at(*scales, k / 32));
    }
    return {};
  }

 private:
  void open(u64 expert) {
    expert_ = expert;
    codes_ = source_bytes(checkpoint_, spec().expert_name(expert));
    if (has_scales(spec())) scales_ = source_bytes(checkpoint_, spec().expert_scale_name(expert));
  }

  Status fill_mxfp4(u64 tile) {
    if (Status filled = fill_rows(codes_, spec().packed.columns / 2, 16, tile, tile_codes_); !filled) return filled;
    return fill_rows(scales_, spec().packed.columns / 32, 1, tile, tile_scales_);
  }

  Status fill_q8_0(u64 tile, SmallBlocks& small) {
    const Result<MatrixRows> rows = read_matrix_rows(spec(), codes_, scales_, tile);
    if (!rows) return rows.error();
    return fill_q8_0_tile(*rows, tile_codes_, tile_scales_, small);
  }

  static Status fill_rows(SourceBytes& matrix, u64 row_bytes, u64 piece_bytes, u64 tile, std::span<std::byte> to) {
    const u64 begin = tile * kTileRows * row_bytes;
    const Result<Bytes> rows = matrix.at(begin, std::min(kTileRows * row_bytes, matrix.size() - begin));
    if (!rows) return rows.error();
    fill_tile(*rows, row_bytes, piece_bytes, to);
    return {};
  }

  const formats::Checkpoint& checkpoint_;
  u64 expert_ = 0;  // whose bytes these are
  SourceBytes codes_;
  SourceBytes scales_;
  std::vector<std::byte> tile_codes_;
  std::vector<std::byte> tile_scales_;
};

}  // namespace

std::unique_ptr<TensorReader> packed_reader(const TensorSpec& spec, const formats::Placement& place,
                                            const MappedFile& file) {
  return std::make_unique<PackedReader>(spec, place, file);
}

std::unique_ptr<TensorReader> checkpoint_reader(const TensorSpec& spec, const formats::Checkpoint& checkpoint) {
  return std::make_unique<CheckpointReader>(spec, checkpoint);
}

}  // namespace bolide::convert
