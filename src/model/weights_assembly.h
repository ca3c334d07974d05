// Puts Weights together from tensors that are asked for by their official names: the one place that knows which name
// belongs to which member. Source: spec model.md 2.1, dspark.md 1.2.
#pragma once
#include <string>
#include <vector>

#include "model/weights.h"

namespace bolide::model {

// Where the tensors come from. Every tensor of tensor_specs() was accounted for before, so nothing can be missing.
class WeightSource {
 public:
  virtual ~WeightSource() = default;

  // A norm, bias, sink, base or scale.
  virtual std::vector<float> vector(const std::string& name) const = 0;
  // A small matrix of float weights.
  virtual FloatMatrix float_matrix(const std::string& name) const = 0;
  // A quantized or large matrix; `name` ends in ".weight".
  virtual Matrix matrix(const std::string& name) const = 0;
  // One expert of a stack named like "layers.3.ffn.experts.w1".
  virtual Matrix expert(const std::string& name, u32 expert) const = 0;
};

// Everything but Weights::files; `with_draft` says whether the source has the drafter's tensors.
Weights assemble_weights(const Config& config, const WeightSource& source, bool with_draft);

}  // namespace bolide::model
