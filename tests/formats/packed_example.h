// A small packed file with every type and form, for tests.
#pragma once
#include <string>
#include <vector>

#include "base/philox.h"
#include "formats/packed_writer.h"

namespace bolide::formats {

inline std::vector<PackedSpec> example_specs() {
  const auto tiled = [](WeightType type, u64 experts, u64 rows, u64 columns) {
    return PackedShape{.type = type, .form = Form::kTiled, .experts = experts, .rows = rows, .columns = columns};
  };
  return {
      {"norm.weight", "norm", {.type = WeightType::kBF16, .form = Form::kPlain, .rows = 1, .columns = 7}},
      {"embed.weight", "embedding", {.type = WeightType::kF32, .form = Form::kPlain, .rows = 5, .columns = 12}},
      {"layers.0.ffn.experts.w1", "expert", tiled(WeightType::kMXFP4, 3, 40, 96)},
      {"layers.0.ffn.experts.w2", "expert", tiled(WeightType::kQ4_K, 2, 33, 256)},
      {"layers.0.attn.wq_a.weight", "attention", tiled(WeightType::kQ8_0, 1, 32, 64)},
      {"layers.0.ffn.gate.weight", "router", tiled(WeightType::kF16, 1, 5, 8)},
  };
}

inline PackedDocuments example_documents() {
  return {.config = R"({"dim":1})", .tokenizer = R"({"model":{}})", .engram = "{}"};
}

// The bytes a tensor's planes are given by the tests: pseudo-random, another sequence for each tensor.
inline std::vector<std::byte> example_bytes(std::size_t tensor, u64 count) {
  std::vector<std::byte> bytes(count);
  for (u64 i = 0; i < count; ++i) {
    const u32 word = philox4x32(tensor, {static_cast<u32>(i / 16), 0, 0, 0})[i / 4 % 4];
    bytes[i] = static_cast<std::byte>(word >> (i % 4 * 8));
  }
  return bytes;
}

// Bytes that append() wants for the tensor: all experts' codes, then all experts' scales, without padding.
inline u64 stream_bytes(const PackedShape& shape) {
  const PlaneBytes planes = plane_bytes(shape).value();
  return shape.experts * (planes.codes + planes.scales);
}

// Appends everything, in pieces of `piece` bytes.
inline Status append_example(PackedWriter& writer, std::size_t piece) {
  const std::vector<PackedSpec> specs = example_specs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::vector<std::byte> bytes = example_bytes(i, stream_bytes(specs[i].shape));
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const Bytes now = Bytes(bytes).subspan(at, std::min(piece, bytes.size() - at));
      if (Status status = writer.append(i, now); !status) return status;
    }
  }
  return {};
}

inline Result<PackedFile> example_in_memory() {
  Result<PackedWriter> writer = PackedWriter::to_memory("example", example_documents(), example_specs());
  if (!writer) return writer.error();
  if (Status status = append_example(*writer, 1000); !status) return status.error();
  return writer->finish();
}

}  // namespace bolide::formats
