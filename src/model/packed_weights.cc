#include "model/packed_weights.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "arith/bf16.h"
#include "arith/f16.h"
#include "model/tensors.h"
#include "model/weights_assembly.h"

namespace bolide::model {
namespace {

using formats::Form;
using formats::PackedFile;
using formats::PackedShape;
using formats::PackedTensor;
using formats::WeightType;

std::string describe(const PackedShape& shape) {
  return fmt::format("{} {} [{} x {} x {}]", formats::name(shape.type), shape.form == Form::kTiled ? "tiles" : "rows",
                     shape.experts, shape.rows, shape.columns);
}

// The type follows the role, but a role may be kept in more than one type (interfaces.md, Packed weights file).
bool fits(WeightType found, WeightType wanted) {
  if (wanted == WeightType::kMXFP4) return found == WeightType::kMXFP4 || found == WeightType::kQ4_K;
  if (wanted == WeightType::kQ8_0) return found == WeightType::kQ8_0 || found == WeightType::kQ4_K;
  return !formats::is_quantized(found);
}

bool fits(const PackedShape& found, const PackedShape& wanted) {
  return fits(found.type, wanted.type) && found.form == wanted.form && found.experts == wanted.experts &&
         found.rows == wanted.rows && found.columns == wanted.columns;
}

// Whether any T of `bytes` is bad. Without a branch an element, and with an accumulator as wide as the elements, the
// compiler vectorizes the test (20 GB/s instead of 2).
template <class T, class Predicate>
bool any(Bytes bytes, Predicate is_bad) {
  constexpr std::size_t kBlock = 4096;
  for (std::size_t begin = 0; begin < bytes.size(); begin += kBlock * sizeof(T)) {
    const Bytes block = bytes.subspan(begin, std::min(kBlock * sizeof(T), bytes.size() - begin));
    T bad = 0;
    for (std::size_t i = 0; i < block.size(); i += sizeof(T)) bad |= T{is_bad(load<T>(block.data() + i))};
    if (bad != 0) return true;
  }
  return false;
}

bool f16_is_bad(u16 code) {
  return (code & 0x7c00) == 0x7c00;  // infinity or NaN
}

// What is wrong with the numbers of one expert, if anything.
std::optional<std::string_view> bad_numbers(const PackedTensor& tensor, u64 expert) {
  const PackedShape& shape = tensor.spec.shape;
  const Bytes scales = tensor.scales(expert);
  switch (shape.type) {
    case WeightType::kMXFP4:
      if (any<u8>(scales, [](u8 code) { return code == 255; })) return "a scale has the NaN code 255";
      return std::nullopt;
    case WeightType::kQ8_0:
      if (any<u16>(scales, f16_is_bad)) return "a scale is not finite";
      return std::nullopt;
    case WeightType::kQ4_K: {
      const u64 superblocks = formats::q4_k_block_scales_offset(shape);
      if (any<u16>(scales.first(superblocks), f16_is_bad)) return "a scale is not finite";
      if (any<u8>(scales.subspan(superblocks), [](u8 code) { return code > 63; })) {
        return "a block's scale or minimum is above 63";
      }
      return std::nullopt;
    }
    case WeightType::kF16:
      if (any<u16>(tensor.codes(expert), f16_is_bad)) return "a value is not finite";
      return std::nullopt;
    case WeightType::kBF16:
      if (any<u16>(tensor.codes(expert), [](u16 code) { return (code & 0x7f80) == 0x7f80; })) {
        return "a value is not finite";
      }
      return std::nullopt;
    case WeightType::kF32:
      if (any<u32>(tensor.codes(expert), [](u32 bits) { return (bits & 0x7f800000) == 0x7f800000; })) {
        return "a value is not finite";
      }
      return std::nullopt;
  }
  return std::nullopt;
}

Status check_numbers(const PackedFile& file, const PackedTensor& tensor) {
  const u64 experts = tensor.spec.shape.experts;
  for (u64 expert = 0; expert < experts; ++expert) {
    if (const auto wrong = bad_numbers(tensor, expert)) {
      return Error{fmt::format("{}: tensor {}{}: {}; the file is damaged, convert it again", file.path(),
                               tensor.spec.name, experts > 1 ? fmt::format(", expert {}", expert) : "", *wrong)};
    }
  }
  return {};
}

bool has_drafter(const PackedFile& file, const std::vector<TensorSpec>& specs) {
  return std::any_of(specs.begin(), specs.end(),
                     [&](const TensorSpec& spec) { return spec.draft && file.find(spec.name) != nullptr; });
}

// Which tensors a file has.
struct FileParts {
  bool trunk = true;
  bool draft = true;
};

// Every wanted tensor is there as it should be, and nothing else is.
Status account_for(const PackedFile& file, const std::vector<TensorSpec>& specs, FileParts parts) {
  std::vector<bool> expected(file.tensors().size(), false);
  for (const TensorSpec& spec : specs) {
    if (spec.draft ? !parts.draft : !parts.trunk) continue;
    const PackedTensor* tensor = file.find(spec.name);
    if (tensor == nullptr) {
      return Error{fmt::format("{}: tensor {} ({}) is missing; the file is not complete, convert it again", file.path(),
                               spec.name, describe(spec.packed))};
    }
    if (!fits(tensor->spec.shape, spec.packed)) {
      return Error{fmt::format("{}: tensor {} is {}, but its config.json makes it {}", file.path(), spec.name,
                               describe(tensor->spec.shape), describe(spec.packed))};
    }
    expected[static_cast<std::size_t>(tensor - file.tensors().data())] = true;
  }
  const auto unknown = std::find(expected.begin(), expected.end(), false);
  if (unknown == expected.end()) return {};
  const PackedTensor& tensor = file.tensors()[static_cast<std::size_t>(unknown - expected.begin())];
  return Error{fmt::format("{}: tensor {} ({}) is unknown: no part of the model that its config.json describes has it",
                           file.path(), tensor.spec.name, describe(tensor.spec.shape))};
}

// The value of element `i` of a float plane, behind the door of rule 0.
float float_value(WeightType type, Bytes plane, u64 i) {
  const std::byte* at = plane.data() + i * formats::float_bytes(type);
  switch (type) {
    case WeightType::kBF16:
      return arith::flush_tiny(arith::bf16_value(load<u16>(at)));
    case WeightType::kF16:
      return arith::flush_tiny(arith::f16_value(load<u16>(at)));
    default:
      return arith::flush_tiny(load<float>(at));
  }
}

// All values, row after row, whatever the form.
std::vector<float> decode(const PackedTensor& tensor) {
  const PackedShape& shape = tensor.spec.shape;
  const Bytes plane = tensor.codes();
  std::vector<float> values(shape.rows * shape.columns);
  for (u64 row = 0; row < shape.rows; ++row) {
    for (u64 k = 0; k < shape.columns; ++k) {
      const u64 plain = row * shape.columns + k;
      const u64 tiled = formats::tile_offset(row, k / 4, shape.columns / 4, 4) + k % 4;
      values[plain] = float_value(shape.type, plane, shape.form == Form::kTiled ? tiled : plain);
    }
  }
  return values;
}

// Keeps alive what the matrices point into.
struct Owner {
  PackedFile file;
  std::optional<PackedFile> draft;
  std::vector<std::vector<u16>> embeddings;  // those that the file does not hold as BF16
};

class PackedSource final : public WeightSource {
 public:
  explicit PackedSource(Owner& owner) : owner_(owner) {}

  std::vector<float> vector(const std::string& name) const override { return decode(find(name)); }

  FloatMatrix float_matrix(const std::string& name) const override {
    const PackedTensor& tensor = find(name);
    return {static_cast<u32>(tensor.spec.shape.rows), static_cast<u32>(tensor.spec.shape.columns), decode(tensor)};
  }

  Matrix matrix(const std::string& name) const override { return expert(name, 0); }

  Matrix expert(const std::string& name, u32 expert) const override {
    const PackedTensor& tensor = find(name);
    Matrix matrix{.type = MatrixType::kBf16,
                  .rows = static_cast<u32>(tensor.spec.shape.rows),
                  .k = static_cast<u32>(tensor.spec.shape.columns),
                  .codes = tensor.codes(expert),
                  .scales = tensor.scales(expert)};
    switch (tensor.spec.shape.type) {
      case WeightType::kQ8_0:
        matrix.type = MatrixType::kQ8_0;
        break;
      case WeightType::kMXFP4:
        matrix.type = MatrixType::kMxfp4;
        break;
      case WeightType::kQ4_K:
        matrix.type = MatrixType::kQ4K;
        break;
      case WeightType::kBF16:
        break;
      case WeightType::kF16:
      case WeightType::kF32:
        matrix.codes = embedding(tensor);
        break;
    }
    return matrix;
  }

 private:
  const PackedTensor& find(const std::string& name) const {
    const bool is_apart = owner_.draft && name.starts_with("mtp.");
    const PackedTensor* tensor = (is_apart ? *owner_.draft : owner_.file).find(name);
    check(tensor != nullptr, "every tensor that is read was accounted for");
    return *tensor;
  }

  // Plain rows as bf16(value).
  Bytes embedding(const PackedTensor& tensor) const {
    const std::vector<float> values = decode(tensor);
    std::vector<u16>& codes = owner_.embeddings.emplace_back(values.size());
    std::transform(values.begin(), values.end(), codes.begin(), arith::bf16_code);
    return std::as_bytes(std::span(codes));
  }

  Owner& owner_;
};

}  // namespace

bool is_packed_drafter(const PackedFile& file) {
  return std::ranges::all_of(file.tensors(),
                             [](const PackedTensor& tensor) { return tensor.spec.name.starts_with("mtp."); });
}

Status check_same_drafter(const Config& config, const Config& drafter, const std::string& path) {
  const auto numbers = [](const Config& c) {
    std::vector<std::pair<std::string_view, u64>> list = {
        {"vocab_size", c.vocab_size},
        {"dim", c.dim},
        {"n_heads", c.n_heads},
        {"head_dim", c.head_dim},
        {"rope_head_dim", c.rope_head_dim},
        {"q_lora_rank", c.q_lora_rank},
        {"o_groups", c.o_groups},
        {"o_lora_rank", c.o_lora_rank},
        {"window_size", c.window_size},
        {"moe_inter_dim", c.moe_inter_dim},
        {"hc_mult", c.hc_mult},
        {"n_mtp_layers", c.draft.n_stages},
        {"dspark_block_size", c.draft.block_size},
        {"dspark_noise_token_id", c.draft.noise_token_id},
        {"dspark_markov_rank", c.draft.markov_rank},
        {"dspark_n_routed_experts", c.draft.n_routed_experts},
        {"dspark_n_activated_experts", c.draft.n_activated_experts},
        {"number of dspark_target_layer_ids", c.draft.target_layer_ids.size()},
    };
    for (const u32 layer : c.draft.target_layer_ids) list.emplace_back("dspark_target_layer_ids", layer);
    return list;
  };
  const auto wanted = numbers(config);
  const auto found = numbers(drafter);
  for (std::size_t i = 0; i < std::min(wanted.size(), found.size()); ++i) {
    if (wanted[i] == found[i]) continue;
    return Error{fmt::format("{}: this drafter has {} {}, but the model has {}: it belongs to another model", path,
                             found[i].first, found[i].second, wanted[i].second)};
  }
  return {};
}

Status account_for_packed_tensors(const Config& config, const PackedFile& file) {
  const std::vector<TensorSpec> specs = tensor_specs(config);
  return account_for(file, specs, {.draft = has_drafter(file, specs)});
}

Result<Weights> load_packed_weights(const Config& config, PackedFile file, std::optional<PackedFile> draft) {
  const std::vector<TensorSpec> specs = tensor_specs(config);
  const bool has_draft = has_drafter(file, specs);
  if (Status complete = account_for(file, specs, {.draft = has_draft}); !complete) return complete.error();
  if (draft) {
    if (Status complete = account_for(*draft, specs, {.trunk = false}); !complete) return complete.error();
  }
  for (const PackedFile* part : {&file, draft ? &*draft : nullptr}) {
    if (part == nullptr) continue;
    for (const PackedTensor& tensor : part->tensors()) {
      if (Status good = check_numbers(*part, tensor); !good) return good.error();
    }
  }
  const bool with_draft = has_draft || draft.has_value();
  const auto owner = std::make_shared<Owner>(Owner{std::move(file), std::move(draft), {}});
  Weights weights = assemble_weights(config, PackedSource(*owner), with_draft);
  weights.files = owner;
  return weights;
}

}  // namespace bolide::model
