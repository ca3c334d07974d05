#include "model/checkpoint_weights.h"

#include <fmt/format.h>

#include "arith/bf16.h"
#include "model/tensors.h"
#include "model/weights_assembly.h"

namespace bolide::model {
namespace {

using formats::Checkpoint;
using formats::DType;
using formats::Tensor;

// The values of a small BF16 or F32 tensor.
std::vector<float> decode(const Tensor& tensor) {
  const u64 element = formats::element_bytes(tensor.dtype);
  std::vector<float> values(tensor.data.size() / element);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::byte* at = tensor.data.data() + i * element;
    values[i] = tensor.dtype == DType::kBF16 ? arith::bf16_value(load<u16>(at)) : load<float>(at);
  }
  return values;
}

class CheckpointSource final : public WeightSource {
 public:
  explicit CheckpointSource(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

  std::vector<float> vector(const std::string& name) const override { return decode(find(name)); }

  FloatMatrix float_matrix(const std::string& name) const override {
    const Tensor& tensor = find(name);
    return {static_cast<u32>(tensor.shape[0]), static_cast<u32>(tensor.shape[1]), decode(tensor)};
  }

  Matrix matrix(const std::string& name) const override {
    const Tensor& codes = find(name);
    const auto rows = static_cast<u32>(codes.shape[0]);
    const auto columns = static_cast<u32>(codes.shape[1]);
    if (codes.dtype == DType::kBF16) return {MatrixType::kBf16, rows, columns, codes.data, {}};
    const Tensor& scales = find(name.substr(0, name.size() - std::string_view("weight").size()) + "scale");
    if (codes.dtype == DType::kI8) return {MatrixType::kFp4, rows, columns * 2, codes.data, scales.data};
    return {MatrixType::kFp8, rows, columns, codes.data, scales.data};
  }

  Matrix expert(const std::string& name, u32 expert) const override {
    const std::size_t dot = name.rfind('.');  // "layers.3.ffn.experts.w1" becomes "layers.3.ffn.experts.7.w1.weight"
    return matrix(fmt::format("{}.{}{}.weight", name.substr(0, dot), expert, name.substr(dot)));
  }

 private:
  const Tensor& find(const std::string& name) const {
    const Tensor* tensor = checkpoint_.find(name);
    check(tensor != nullptr, "every tensor that is read was accounted for");
    return *tensor;
  }

  const Checkpoint& checkpoint_;
};

// All but what is skipped and the Engram tables.
Status refuse_non_finite_weights(const Config& config, const Checkpoint& checkpoint) {
  for (const TensorSpec& spec : tensor_specs(config)) {
    const bool has_scales = spec.checkpoint == CheckpointFormat::kFp8 || spec.checkpoint == CheckpointFormat::kFp4;
    for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
      if (Status finite = refuse_non_finite(*checkpoint.find(spec.expert_name(expert))); !finite) return finite;
      if (!has_scales) continue;
      if (Status finite = refuse_non_finite(*checkpoint.find(spec.expert_scale_name(expert))); !finite) return finite;
    }
  }
  return {};
}

}  // namespace

Result<Weights> load_checkpoint_weights(const Config& config, std::shared_ptr<const Checkpoint> checkpoint) {
  if (const auto skipped = account_for_tensors(config, *checkpoint); !skipped) return skipped.error();
  if (Status finite = refuse_non_finite_weights(config, *checkpoint); !finite) return finite.error();

  Weights weights = assemble_weights(config, CheckpointSource(*checkpoint), config.draft.n_stages > 0);
  weights.files = std::move(checkpoint);
  return weights;
}

}  // namespace bolide::model
