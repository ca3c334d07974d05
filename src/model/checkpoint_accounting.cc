#include "model/checkpoint_accounting.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "formats/names.h"
#include "model/tensors.h"

namespace bolide::model {
namespace {

using formats::Checkpoint;
using formats::DType;
using formats::Tensor;

constexpr u64 kScaleBlock = 32;

constexpr u64 scale_blocks(u64 n) {
  return (n + kScaleBlock - 1) / kScaleBlock;
}

// Ticks off the checkpoint's tensors one by one; nothing here grows with what an untrusted config.json asks for.
class Accounting {
 public:
  explicit Accounting(const Checkpoint& checkpoint)
      : checkpoint_(checkpoint), expected_(checkpoint.tensors().size(), false) {}

  Status expect(const std::string& name, DType dtype, const std::vector<u64>& shape) {
    const Tensor* tensor = checkpoint_.find(name);
    if (tensor == nullptr) {
      return Error{
          fmt::format("tensor {} ({} [{}]) is missing from the checkpoint; config.json and the checkpoint do "
                      "not belong together, or the checkpoint is incomplete",
                      name, formats::name(dtype), formats::listed(shape))};
    }
    if (tensor->dtype != dtype || tensor->shape != shape) {
      return Error{fmt::format("{}: tensor {} is {}, but config.json makes it {} [{}]", path_of(*tensor), name,
                               formats::describe(*tensor), formats::name(dtype), formats::listed(shape))};
    }
    expected_[static_cast<std::size_t>(tensor - checkpoint_.tensors().data())] = true;
    return {};
  }

  // Whatever was not expected must belong to the vision tower.
  Result<SkippedTensors> skipped() const {
    SkippedTensors skipped;
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      if (expected_[i]) continue;
      const Tensor& tensor = checkpoint_.tensors()[i];
      if (!is_vision_tensor(tensor.name)) {
        return Error{
            fmt::format("{}: tensor {} ({}) is unknown: no part of the model that config.json describes has it",
                        path_of(tensor), tensor.name, formats::describe(tensor))};
      }
      ++skipped.count;
      skipped.bytes += tensor.bytes;
    }
    return skipped;
  }

 private:
  const std::string& path_of(const Tensor& tensor) const { return checkpoint_.shards()[tensor.shard].path(); }

  const Checkpoint& checkpoint_;
  std::vector<bool> expected_;  // by position in tensors()
};

// The tensors of one spec: one, two with its scales, or two for each expert.
Status expect_spec(Accounting& accounting, const TensorSpec& spec) {
  const u64 rows = spec.packed.rows;
  const u64 k = spec.packed.columns;
  for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
    DType dtype = DType::kF32;
    std::vector<u64> shape = spec.dimensions == 1 ? std::vector<u64>{k} : std::vector<u64>{rows, k};
    std::vector<u64> scale_shape;  // empty: no scales
    switch (spec.checkpoint) {
      case CheckpointFormat::kF32:
        break;
      case CheckpointFormat::kBf16:
        dtype = DType::kBF16;
        break;
      case CheckpointFormat::kFp8:
        dtype = DType::kF8E4M3;
        scale_shape = {scale_blocks(rows), scale_blocks(k)};
        break;
      case CheckpointFormat::kFp4:
        dtype = DType::kI8;
        shape = {rows, k / 2};
        scale_shape = {rows, scale_blocks(k)};
        break;
    }
    if (Status found = accounting.expect(spec.expert_name(expert), dtype, shape); !found) return found;
    if (scale_shape.empty()) continue;
    if (Status found = accounting.expect(spec.expert_scale_name(expert), DType::kF8E8M0, scale_shape); !found) {
      return found;
    }
  }
  return {};
}

Status expect_engram_tables(Accounting& accounting, const EngramConfig& engram) {
  for (std::size_t i = 0; i < engram.layer_ids.size(); ++i) {
    const u32 layer = engram.layer_ids[i];
    const u64 rows = engram.rows[i];
    if (Status found = accounting.expect(engram_codes_name(layer), DType::kF8E4M3, {rows, engram.head_dim}); !found) {
      return found;
    }
    const u64 scales = scale_blocks(engram.head_dim);
    if (Status found = accounting.expect(engram_scales_name(layer), DType::kF8E8M0, {rows, scales}); !found) {
      return found;
    }
  }
  return {};
}

// Position of the first element that `is_bad`. Blocks are tested without a branch per element and with an accumulator
// as wide as the elements, so that the compiler vectorizes the test (20 GB/s instead of 2).
template <class T, class Predicate>
std::optional<u64> first_bad(Bytes data, Predicate is_bad) {
  constexpr u64 kBlock = 4096;
  const u64 n = data.size() / sizeof(T);
  const auto bad_at = [&](u64 i) { return is_bad(load<T>(data.data() + i * sizeof(T))); };
  for (u64 begin = 0; begin < n; begin += kBlock) {
    const u64 end = std::min(begin + kBlock, n);
    T bad = 0;
    for (u64 i = begin; i < end; ++i) bad |= T{bad_at(i)};
    if (bad == 0) continue;
    u64 i = begin;
    while (!bad_at(i)) ++i;
    return i;
  }
  return std::nullopt;
}

std::optional<u64> first_non_finite(DType dtype, Bytes data) {
  switch (dtype) {
    case DType::kF8E4M3:
      return first_bad<u8>(data, [](u8 code) { return (code & 0x7f) == 0x7f; });
    case DType::kF8E8M0:
      return first_bad<u8>(data, [](u8 code) { return code == 0xff; });
    case DType::kBF16:
      return first_bad<u16>(data, [](u16 code) { return (code & 0x7f80) == 0x7f80; });
    case DType::kF32:
      return first_bad<u32>(data, [](u32 bits) { return (bits & 0x7f800000) == 0x7f800000; });
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<SkippedTensors> account_for_tensors(const Config& config, const Checkpoint& checkpoint) {
  Accounting accounting(checkpoint);
  for (const TensorSpec& spec : tensor_specs(config)) {
    if (Status found = expect_spec(accounting, spec); !found) return found.error();
  }
  if (Status found = expect_engram_tables(accounting, config.engram); !found) return found.error();
  return accounting.skipped();
}

Status account_for_draft_tensors(const Config& config, const Checkpoint& checkpoint) {
  Accounting accounting(checkpoint);
  for (const TensorSpec& spec : tensor_specs(config)) {
    if (!spec.draft) continue;
    if (Status found = expect_spec(accounting, spec); !found) return found;
  }
  const Result<SkippedTensors> rest = accounting.skipped();
  return rest ? Status() : Status(rest.error());
}

Status refuse_non_finite(const Tensor& tensor) {
  return refuse_non_finite(tensor, 0, tensor.data);
}

Status refuse_non_finite(const Tensor& tensor, u64 first, Bytes piece) {
  const std::optional<u64> element = first_non_finite(tensor.dtype, piece);
  if (!element) return {};
  return Error{fmt::format("tensor {} ({}): element {} is not a finite number; the checkpoint is damaged, get it again",
                           tensor.name, formats::describe(tensor),
                           first / formats::element_bytes(tensor.dtype) + *element)};
}

}  // namespace bolide::model
