// One tensor of a GGUF, which `file` holds, into its packed form. The type follows the role, whatever the file (design:
// interfaces.md, Packed weights file).
#pragma once
#include "base/result.h"
#include "convert/tensor_conversion.h"
#include "formats/gguf_file.h"
#include "model/tensors.h"

namespace bolide::convert {

// The type that the tensor gets in a packed file; its type fits the role (gguf_model.h):
//
//     experts             MXFP4 and Q4_K stay
//     FP8 roles, heads    Q8_0 and Q4_K stay; F16, BF16 and F32 become Q8_0
//     F32 roles           F32
//     BF16 roles          BF16 where every value is one, which all values are read for; else F16 stays, and F32 and
//                         what Q8_0 decodes to become F32. Looked-up rows in Q8_0 become BF16: as that they enter
//                         (arithmetic.md rule 7)
Result<formats::WeightType> packed_type(const model::TensorSpec& spec, const formats::GgufTensor& tensor,
                                        const MappedFile& file);

// Converts the tensor (all experts of a stack) to spec.packed.type, which packed_type() gave. A number that is not
// finite is an error that names the tensor. Memory: a few MB, and for tensors that become Q8_0 their scales.
// Quantized tensors are read once for each plane of the packed form.
Result<TensorConversion> convert_gguf_tensor(const model::TensorSpec& spec, const formats::GgufTensor& tensor,
                                             const MappedFile& file, const Append& append);

}  // namespace bolide::convert
