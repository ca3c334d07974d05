// How peaked the inputs of the quantized matrices are: A1 rounds them to int8 with one scale per 32 values, which is
// finer than the reference's FP8 unless one value towers over its block (design: arithmetic.md).
#pragma once
#include <span>
#include <string>
#include <vector>

#include "engine/model_files.h"

namespace bolide::app {

// A block with one value of ten times the others' rms; about there int8 and FP8 lose equally much.
constexpr double kPeakedCrestFactor = 4.9;

// max |x| / rms over the blocks of 32 values that entered one kind of matrix; from 1 to sqrt(32) = 5.66. Blocks of
// zeros are not counted.
struct CrestFactors {
  u64 blocks = 0;
  double sum = 0;
  double largest = 0;
  u64 peaked = 0;  // above kPeakedCrestFactor

  void add(std::span<const float> x);
};

// What entered one kind of matrix: "attention wq_b", ..., "drafter main_proj".
struct MatrixInput {
  std::string kind;
  CrestFactors crest;
};

// Computes the tokens, and one draft block after them, and watches what enters the matrices. At least one id, all below
// the vocabulary's size. The kinds come in the order of the forward pass, trunk first; of matrices that read the same
// input one stands for all.
Result<std::vector<MatrixInput>> measure_crest_factors(const engine::OpenModel& open, std::span<const u32> ids);

}  // namespace bolide::app
