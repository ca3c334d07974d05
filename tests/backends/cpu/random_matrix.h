// Quantized matrices of random codes for tests of kernels.
#pragma once
#include <random>

#include "backends/cpu/matvec_q.h"
#include "formats/packed_layout.h"

namespace bolide::backends::cpu {

// A matrix that owns its bytes.
struct OwnedMatrix {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  model::Matrix matrix;
};

// Every code that the type has is drawn; of the scales those that files may hold, extremes included, so that results
// differ widely in size.
inline OwnedMatrix random_matrix(model::MatrixType type, u32 rows, u32 k, std::mt19937& random) {
  using model::MatrixType;
  OwnedMatrix m;
  const u64 padded = u64{(rows + 31) / 32} * 32;
  const u64 blocks = padded * (k / 32);
  const auto byte = [&] { return static_cast<std::byte>(random() & 255); };
  // F16 codes from 2^-14 to 2^3, of both signs.
  const auto f16 = [&] { return static_cast<u16>((random() & 0x83ffu) + ((random() % 18 + 1) << 10)); };
  m.codes.resize(blocks * (type == MatrixType::kQ8_0 ? 32 : 16));
  for (std::byte& code : m.codes) code = byte();
  if (type == MatrixType::kMxfp4) {
    m.scales.resize(blocks);
    for (std::byte& scale : m.scales)
      scale = static_cast<std::byte>(random() % 8 == 0 ? random() % 100 : 100 + random() % 40);
  } else if (type == MatrixType::kQ8_0) {
    m.scales.resize(blocks * 2);
    for (u64 i = 0; i < blocks; ++i) store(&m.scales[i * 2], f16());
  } else {
    const u64 supers = padded * (k / 256);
    m.scales.resize(supers * 4 + blocks * 2);
    for (u64 i = 0; i < supers * 2; ++i) store(&m.scales[i * 2], f16());
    for (u64 i = supers * 4; i < m.scales.size(); ++i) m.scales[i] = byte() & std::byte{63};
  }
  m.matrix = {type, rows, k, m.codes, m.scales};
  return m;
}

}  // namespace bolide::backends::cpu
