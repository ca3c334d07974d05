#include "convert/packed_specs.h"

namespace bolide::convert {
namespace {

using model::TensorClass;

// Labels are part of the table's entries, and so of a model's identity: they never change, unlike the names we print.
std::string_view label(TensorClass tensor_class) {
  switch (tensor_class) {
    case TensorClass::kAttention:
      return "attention";
    case TensorClass::kRoutedExperts:
      return "routed_experts";
    case TensorClass::kSharedExperts:
      return "shared_experts";
    case TensorClass::kHead:
      return "head";
    case TensorClass::kEngramProjection:
      return "engram_projection";
    case TensorClass::kRouter:
      return "router";
    case TensorClass::kIndex:
      return "index";
    case TensorClass::kMix:
      return "mix";
    case TensorClass::kEmbedding:
      return "embedding";
    case TensorClass::kMarkov:
      return "markov";
    case TensorClass::kDraftInput:
      return "draft_input";
    case TensorClass::kConfidence:
      return "confidence";
  }
  return "";
}

}  // namespace

std::vector<formats::PackedSpec> packed_specs(const std::vector<model::TensorSpec>& specs) {
  std::vector<formats::PackedSpec> packed;
  packed.reserve(specs.size());
  for (const model::TensorSpec& spec : specs) {
    packed.push_back({spec.name, std::string(label(spec.tensor_class)), spec.packed});
  }
  return packed;
}

}  // namespace bolide::convert
