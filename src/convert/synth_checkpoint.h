// A synthetic model as a folder in the official checkpoint format.
#pragma once
#include <string>

#include "convert/synth.h"

namespace bolide::convert {

// Makes the folder `path`, which must not be there or be empty: config.json, tokenizer.json, engram.json, and shards as
// the official checkpoint divides them. The index, without which a folder is no checkpoint, is written last.
//
// The numbers follow the same rule as those of a packed file, but of what is stored here; so, where the forms differ
// (FP8 and Q8_0, rows and tiles), this is another model than the packed file of the same options. Experts must be
// MXFP4.
Status synth_to_checkpoint(const SynthPlan& plan, const std::string& path, const SynthRun& run);

}  // namespace bolide::convert
