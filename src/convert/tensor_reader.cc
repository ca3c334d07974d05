#include "convert/tensor_reader.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

#include "arith/e4m3.h"
#include "arith/e8m0.h"
#include "arith/f16.h"
#include "convert/float_rows.h"
#include "convert/tiles.h"
#include "model/checkpoint_accounting.h"

namespace bolide::convert {
namespace {

using formats::kTileRows;
using formats::tile_offset;
using formats::WeightType;
using model::CheckpointFormat;
using model::TensorSpec;

class PackedReader final : public TensorReader {
 public:
  PackedReader(const TensorSpec& spec, const formats::PackedTensor& tensor) : TensorReader(spec), tensor_(tensor) {}

  Result<PackedTile> tile(u64 expert, u64 tile, SmallBlocks&) override {
    const WeightType type = spec().packed.type;
    const auto part = [&](Bytes plane, Plane which) {
      const u64 bytes = tile_bytes(type, which, spec().packed.columns);
      return plane.subspan(tile * bytes, bytes);
    };
    const Bytes scales = tensor_.scales(expert);
    PackedTile planes{.codes = part(tensor_.codes(expert), Plane::kCodes),
                      .scales = part(scales, Plane::kScales),
                      .block_scales = {}};
    if (type == WeightType::kQ4_K) {
      planes.block_scales = part(scales.subspan(formats::q4_k_block_scales_offset(spec().packed)), Plane::kBlockScales);
    }
    return planes;
  }

  Status row(u64 row, std::span<float> values) override {
    const u64 columns = values.size();
    if (spec().packed.type == WeightType::kQ8_0) {
      for (u64 k = 0; k < columns; ++k) {
        const u64 block = tile_offset(row, k / 32, columns / 32, 1);
        values[k] = arith::f16_value(load<u16>(&tensor_.scales()[2 * block])) *
                    static_cast<float>(static_cast<i8>(tensor_.codes()[32 * block + k % 32]));
      }
      return {};
    }
    const formats::GgufType type = formats::gguf_type(spec().packed.type);
    const u64 bytes = formats::row_bytes(type, columns);
    if (spec().packed.form == formats::Form::kPlain) {
      decode_row(type, tensor_.codes().subspan(row * bytes, bytes), values);
      return {};
    }
    const u64 piece = bytes / (columns / 4);
    for (u64 k = 0; k < columns; k += 4) {
      const u64 at = tile_offset(row, k / 4, columns / 4, piece);
      decode_row(type, tensor_.codes().subspan(at, piece), values.subspan(k, 4));
    }
    return {};
  }

 private:
  const formats::PackedTensor& tensor_;
};

// The bytes of a tensor, all of them finite numbers.
Result<Bytes> read_finite(const formats::Checkpoint& checkpoint, const std::string& name) {
  const formats::Tensor* tensor = checkpoint.find(name);
  check(tensor != nullptr, "every tensor was accounted for");
  if (Status finite = model::refuse_non_finite(*tensor); !finite) {
    return Error{fmt::format("{}: {}", checkpoint.shards()[tensor->shard].path(), finite.error().message)};
  }
  return tensor->data;
}

bool has_scales(const TensorSpec& spec) {
  return spec.checkpoint == CheckpointFormat::kFp8 || spec.checkpoint == CheckpointFormat::kFp4;
}

class CheckpointReader final : public TensorReader {
 public:
  CheckpointReader(const TensorSpec& spec, const formats::Checkpoint& checkpoint)
      : TensorReader(spec), checkpoint_(checkpoint) {
    if (!formats::is_quantized(spec.packed.type)) return;
    tile_codes_.resize(tile_bytes(spec.packed.type, Plane::kCodes, spec.packed.columns));
    tile_scales_.resize(tile_bytes(spec.packed.type, Plane::kScales, spec.packed.columns));
  }

  Status open(u64 expert) {
    const Result<Bytes> codes = read_finite(checkpoint_, spec().expert_name(expert));
    if (!codes) return codes.error();
    codes_ = *codes;
    expert_ = expert;
    if (!has_scales(spec())) return {};
    const Result<Bytes> scales = read_finite(checkpoint_, spec().expert_scale_name(expert));
    if (!scales) return scales.error();
    scales_ = *scales;
    return {};
  }

  Result<PackedTile> tile(u64 expert, u64 tile, SmallBlocks& small) override {
    if (expert != expert_) {
      if (Status opened = open(expert); !opened) return opened.error();
    }
    if (spec().packed.type == WeightType::kMXFP4) {
      fill_rows(codes_, spec().packed.columns / 2, 16, tile, tile_codes_);
      fill_rows(scales_, spec().packed.columns / 32, 1, tile, tile_scales_);
    } else {
      const MatrixSource matrix{
          .type = spec().checkpoint == CheckpointFormat::kFp8 ? MatrixSource::Type::kFp8 : MatrixSource::Type::kBf16,
          .codes = codes_,
          .scales = scales_,
          .rows = spec().packed.rows,
          .columns = spec().packed.columns};
      if (Status filled = fill_q8_0_tile(matrix, tile, tile_codes_, tile_scales_, small); !filled) {
        return filled.error();
      }
    }
    return PackedTile{.codes = tile_codes_, .scales = tile_scales_, .block_scales = {}};
  }

  Status row(u64 row, std::span<float> values) override {
    const u64 columns = values.size();
    if (spec().checkpoint != CheckpointFormat::kFp8) {
      const formats::GgufType type =
          spec().checkpoint == CheckpointFormat::kF32 ? formats::GgufType::kF32 : formats::GgufType::kBF16;
      const u64 bytes = formats::row_bytes(type, columns);
      decode_row(type, codes_.subspan(row * bytes, bytes), values);
      return {};
    }
    const u64 scales_at = row / 32 * ((columns + 31) / 32);
    for (u64 k = 0; k < columns; ++k) {
      values[k] = arith::e4m3_value(byte_at(codes_, row * columns + k)) *
                  arith::e8m0_value(byte_at(scales_, scales_at + k / 32));
    }
    return {};
  }

 private:
  static void fill_rows(Bytes matrix, u64 row_bytes, u64 piece_bytes, u64 tile, std::span<std::byte> to) {
    const u64 begin = tile * kTileRows * row_bytes;
    fill_tile(matrix.subspan(begin, std::min(kTileRows * row_bytes, matrix.size() - begin)), row_bytes, piece_bytes,
              to);
  }

  const formats::Checkpoint& checkpoint_;
  u64 expert_ = 0;  // whose bytes these are
  Bytes codes_;
  Bytes scales_;
  std::vector<std::byte> tile_codes_;
  std::vector<std::byte> tile_scales_;
};

}  // namespace

std::unique_ptr<TensorReader> packed_reader(const TensorSpec& spec, const formats::PackedTensor& tensor) {
  return std::make_unique<PackedReader>(spec, tensor);
}

Result<std::unique_ptr<TensorReader>> checkpoint_reader(const TensorSpec& spec, const formats::Checkpoint& checkpoint) {
  auto reader = std::make_unique<CheckpointReader>(spec, checkpoint);
  if (Status opened = reader->open(0); !opened) return opened.error();
  return std::unique_ptr<TensorReader>(std::move(reader));
}

}  // namespace bolide::convert
