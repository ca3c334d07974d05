// One tensor of a model, a tile or a row at a time, whatever file holds it: what a GGUF is written from.
#pragma once
#include <memory>

#include "convert/gguf_blocks.h"
#include "convert/tensor_conversion.h"
#include "formats/checkpoint.h"
#include "formats/packed_file.h"
#include "model/tensors.h"

namespace bolide::convert {

// Used by one thread.
class TensorReader {
 public:
  explicit TensorReader(const model::TensorSpec& spec) : spec_(spec) {}
  virtual ~TensorReader() = default;
  TensorReader(const TensorReader&) = delete;
  TensorReader(TensorReader&&) = delete;
  TensorReader& operator=(const TensorReader&) = delete;
  TensorReader& operator=(TensorReader&&) = delete;

  // spec().packed.type is the type that the tensor has in packed form.
  const model::TensorSpec& spec() const { return spec_; }

  // Of a quantized tensor: 32 rows of an expert in packed form, good until the next call. Where they are quantized only
  // now, what that loses is added to `small`.
  virtual Result<PackedTile> tile(u64 expert, u64 tile, SmallBlocks& small) = 0;

  // The values of a row, exactly; of unstacked tensors of float types and Q8_0.
  virtual Status row(u64 row, std::span<float> values) = 0;

 private:
  model::TensorSpec spec_;
};

// Of a packed file that was opened; `file` is the same one and outlives the reader.
std::unique_ptr<TensorReader> packed_reader(const model::TensorSpec& spec, const formats::Placement& place,
                                            const MappedFile& file);

// Of a checkpoint whose tensors were accounted for and which outlives the reader. Reading a number that is not finite
// is an error.
std::unique_ptr<TensorReader> checkpoint_reader(const model::TensorSpec& spec, const formats::Checkpoint& checkpoint);

}  // namespace bolide::convert
