// The weights as the forwards read them: views into mapped files, filled from an official checkpoint (REF, plain) or
// from a packed file (A1). Names follow spec model.md 2.1; shapes are [rows = out, k = in].
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "model/config.h"

namespace bolide::model {

enum class MatrixType : u8 {
  kBf16,  // plain rows of u16
  kFp8,   // plain rows of E4M3, one E8M0 scale per 32 x 32 block: scales [ceil(rows/32)][ceil(k/32)]
  kFp4,   // plain rows of E2M1 pairs, low nibble first, one E8M0 scale per row and 32 columns: scales [rows][k/32]
  kQ8_0,  // the packed tiles of interfaces.md (formats/packed_file.h)
  kMxfp4,
  kQ4K,
};

// A quantized or large matrix, left where it lies. Does not own its bytes.
struct Matrix {
  MatrixType type = MatrixType::kBf16;
  u32 rows = 0;
  u32 k = 0;
  Bytes codes;
  Bytes scales;
};

// A small matrix of float weights (BF16, F16 or F32 in the file), decoded once; owns its values, row after row.
struct FloatMatrix {
  u32 rows = 0;
  u32 k = 0;
  std::vector<float> values;
  std::span<const float> row(u32 i) const { return std::span<const float>(values).subspan(u64{i} * k, k); }
};

// mHC coefficients of one sub-block (spec 3.3).
struct MixWeights {
  FloatMatrix fn;  // [24][4 dim]
  std::vector<float> base;
  std::vector<float> scale;
};

struct AttentionWeights {
  Matrix wq_a;
  Matrix wq_b;
  Matrix wkv;
  Matrix wo_a;  // [groups * rank][group width]: group g uses its own `rank` rows
  Matrix wo_b;
  std::vector<float> q_norm;
  std::vector<float> kv_norm;
  std::vector<float> sink;
};

struct CompressorWeights {
  FloatMatrix wkv;
  FloatMatrix wgate;  // only where the ratio is 2
  std::vector<float> norm;
  FloatMatrix index_key;  // indexer.wk
  std::vector<float> index_key_norm;
};

struct IndexerWeights {
  Matrix wq_b;
  FloatMatrix weights_proj;
};

struct ExpertWeights {
  Matrix w1;  // gate
  Matrix w3;  // up
  Matrix w2;  // down
};

struct MixtureWeights {
  FloatMatrix gate;
  std::vector<float> bias;
  std::vector<float> image_bias;  // bias_vl; empty without vision
  std::vector<ExpertWeights> experts;
  ExpertWeights shared;
};

struct EngramWeights {
  Matrix wkv;            // [5 dim][width]: four keys, then one value
  FloatMatrix q_weight;  // [4][dim]
  FloatMatrix k_weight;
};

// One transformer block: a layer of the trunk or a stage of the drafter.
struct BlockWeights {
  MixWeights attention_mix;
  MixWeights mixture_mix;
  std::vector<float> attention_norm;
  std::vector<float> mixture_norm;
  AttentionWeights attention;
  MixtureWeights mixture;
  std::optional<CompressorWeights> compressor;
  std::optional<IndexerWeights> indexer;
  std::optional<EngramWeights> engram;
};

// DSpark (spec dspark.md 1).
struct DraftWeights {
  Matrix main_proj;
  std::vector<float> main_norm;
  std::vector<BlockWeights> stages;
  std::vector<float> norm;
  Matrix markov_embed;
  Matrix markov_head;
  FloatMatrix confidence;  // [1][dim + rank]
};

struct Weights {
  Matrix embed;
  Matrix head;
  std::vector<float> norm;
  std::vector<BlockWeights> layers;
  std::optional<DraftWeights> draft;
  // Keeps the files alive that the matrices point into.
  std::shared_ptr<const void> files;
};

}  // namespace bolide::model
