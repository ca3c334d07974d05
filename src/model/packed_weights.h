// The weights of a packed file as A1 reads them.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "formats/packed_file.h"
#include "model/weights.h"

namespace bolide::model {

// Compares the file's tensors with tensor_specs(config), refuses codes that are not numbers, and fills Weights:
//
//     Q8_0, MXFP4, Q4_K   views into the file, one a matrix or expert
//     tiled BF16/F16/F32  decoded copies (FloatMatrix), plain rows again; so are vectors and plain Engram rows
//     embeddings          views where they are BF16 (the reader of a row applies rule 0's door), else BF16 copies by
//                         rule 7: bf16(value)
//
// Every decoded value passed the door of rule 0 (flush_tiny). Experts may be MXFP4 or Q4_K, FP8 roles Q8_0 or Q4_K,
// float roles BF16, F16 or F32. A tensor that is missing, unknown or of another shape or type is an error that names
// it. The drafter's tensors are all there, or none (`convert --no-draft`): then Weights::draft is empty. The result
// shares ownership of the file.
// `draft`: a file of the drafter alone, whose tensors stand for those of `file`.
Result<Weights> load_packed_weights(const Config& config, formats::PackedFile file,
                                    std::optional<formats::PackedFile> draft = std::nullopt);

// Whether the file is a drafter alone (`convert --only-draft`).
bool is_packed_drafter(const formats::PackedFile& file);

// Whether a drafter made for a model of configuration `drafter` fits one of `config`: both have the same drafter, of
// the same sizes. `path` names the drafter's file in errors.
Status check_same_drafter(const Config& config, const Config& drafter, const std::string& path);

// The comparison of tensors alone: headers, no weights.
Status account_for_packed_tensors(const Config& config, const formats::PackedFile& file);

}  // namespace bolide::model
