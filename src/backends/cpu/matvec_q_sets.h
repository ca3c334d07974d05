// The kernels of matvec_q, one per instruction set; matvec_q.cc chooses among those that this build has.
#pragma once
#include "backends/cpu/matvec_q.h"

namespace bolide::backends::cpu {

void matvec_q_scalar(const model::Matrix& w, TileRange tiles, const ActivationRows& x, MatvecWorkspace& workspace,
                     float* y, u64 y_stride);
void matvec_q_avx2(const model::Matrix& w, TileRange tiles, const ActivationRows& x, MatvecWorkspace& workspace,
                   float* y, u64 y_stride);
void matvec_q_avx512(const model::Matrix& w, TileRange tiles, const ActivationRows& x, MatvecWorkspace& workspace,
                     float* y, u64 y_stride);

}  // namespace bolide::backends::cpu
