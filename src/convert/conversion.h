// Runs a conversion: tensors from their sources into output files, several at a time, so that it can be interrupted at
// any moment and goes on when it is run again (decision page 0015).
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "convert/byte_progress.h"
#include "convert/journal.h"
#include "convert/tensor_conversion.h"
#include "formats/tensor_writer.h"

namespace bolide::convert {

// One tensor of an output.
struct ConversionTask {
  JournalKey key;                        // .output: index into the outputs, .tensor: of its writer
  std::vector<const MappedFile*> files;  // that it reads
  u64 unit_bytes = 0;                    // it can begin at every multiple of this; 0: only as a whole
  // Hands over its bytes from byte `first` on, in the writer's order. Called once, by any thread.
  std::function<Result<TensorConversion>(u64 first, const Append& append)> convert;
};

struct ConversionOutput {
  std::string path;
  u64 bytes = 0;
  std::function<Result<std::unique_ptr<formats::TensorWriter>>(formats::WriteMode mode)> open;
};

struct Conversion {
  Sha256Digest plan{};  // over everything that decides about the outputs
  std::vector<const MappedFile*> sources;
  std::vector<const MappedFile*> consumed;  // those sources that go once all that is made of them is safe
  std::string path;                         // what the user calls the output; the journal is beside it
  std::vector<ConversionOutput> outputs;    // which get their names in this order
  std::vector<ConversionTask> tasks;        // begun in this order
};

// Written before the next sync, and so at most made again after an interruption (beside unfinished tensors).
inline constexpr u64 kSyncBytes = 256 << 20;

struct ConversionRun {
  u32 n_threads = 1;
  TellProgress progress;
  u64 sync_bytes = kSyncBytes;
  const std::atomic<bool>* stop = nullptr;  // set by a signal: end as soon as possible
};

// What became of each task. On failure, what was converted is kept as OUT.partial and OUT.partial.journal, and the
// error says so; where that is nothing, so is what stays. An output that has its name is whole.
Result<std::vector<TensorConversion>> run_conversion(const Conversion& conversion, const ConversionRun& run);

}  // namespace bolide::convert
