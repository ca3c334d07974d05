// What of a conversion is safely on the disk, kept beside its output as OUT.partial.journal: after an interruption, at
// whatever moment, the same conversion goes on from there (decision page 0015).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/record_file.h"
#include "base/sha256.h"
#include "convert/q8_0.h"
#include "formats/checkpoint.h"

namespace bolide::convert {

std::string journal_path(const std::string& output_path);

// Which tensor of which file of the conversion's.
struct JournalKey {
  u32 output = 0;
  u32 tensor = 0;
  auto operator<=>(const JournalKey&) const = default;
};

// The first `bytes` of a tensor's range in the output are written and synced.
struct JournalTensor {
  u64 bytes = 0;
  Sha256Digest tail{};    // of the last bytes of these, to know them again
  Sha256Digest digest{};  // TensorWriter::digest(), once it is whole
  u64 bytes_in = 0;       // for the report
  SmallBlocks small;
};

// Used by one thread at a time.
class Journal {
 public:
  // Opens the journal of the conversion to `output_path`, or begins one. `plan` is a hash over everything that decides
  // about the output. An error where the journal is of another conversion, or a source changed after something was
  // converted from it; it says what to do.
  static Result<Journal> open(const std::string& output_path, const Sha256Digest& plan,
                              const std::vector<const MappedFile*>& sources);

  // Whether an earlier run left something to go on from.
  bool resumed() const { return !tensors_.empty() || !finished_.empty(); }

  // nullptr: nothing of it is safe.
  const JournalTensor* find(const JournalKey& key) const;
  // The hash of the first bytes of an output that got its name, if it did.
  const Sha256Digest* finished(u32 output) const;

  // Records; safe after sync(). `source`: an index into the sources, of those that the tensor is made from.
  Status add(const JournalKey& key, const JournalTensor& tensor, const std::vector<u32>& sources);
  Status add_finished(u32 output, const Sha256Digest& digest);
  // A source that is about to be removed.
  Status add_consumed(const formats::GoneShard& shard);
  Status sync() { return file_.sync(); }
  // The conversion is complete, or never began.
  void remove() { file_.remove(); }

 private:
  Journal(RecordFile file, std::string output_path) : file_(std::move(file)), output_path_(std::move(output_path)) {}
  Status read(const Sha256Digest& plan);
  Status check_sources(const std::vector<const MappedFile*>& sources);

  struct Stamp {
    u64 bytes = 0;
    i64 modified_ns = 0;
    Sha256Digest beginning{};  // of the first bytes
    bool operator==(const Stamp&) const = default;
  };
  static Result<Stamp> stamp_of(const MappedFile& file);

  RecordFile file_;
  std::string output_path_;
  bool begun_ = false;
  std::map<u32, Stamp> stamps_;  // by source
  std::map<u32, bool> used_;     // sources that something safe is made from
  std::map<JournalKey, JournalTensor> tensors_;
  std::map<u32, Sha256Digest> finished_;
};

// The shards that an interrupted conversion to `output_path` removed; none where there is no journal.
Result<std::vector<formats::GoneShard>> consumed_shards(const std::string& output_path);

}  // namespace bolide::convert
