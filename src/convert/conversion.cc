#include "convert/conversion.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "convert/free_room.h"
#include "convert/parallel.h"
#include "formats/safetensors.h"

namespace bolide::convert {
namespace {

constexpr u64 kTailBytes = 64 << 10;  // of a tensor, to know it again
constexpr u64 kHeaderBytes = 4096;    // of an output, to know it again

class Runner {
 public:
  Runner(const Conversion& conversion, const ConversionRun& run, Journal journal)
      : conversion_(conversion), run_(run), journal_(std::move(journal)), is_worth_keeping_(journal_.resumed()) {}

  Status open_outputs();
  Status check_room() const;
  Result<std::vector<TensorConversion>> convert();
  Status finish();
  // What to do with what is there after a failure.
  Error give_up(const Error& error);

 private:
  struct Safe {  // about to be
    std::size_t task;
    JournalTensor tensor;
  };

  const ConversionTask& task(std::size_t i) const { return conversion_.tasks[i]; }
  formats::TensorWriter* writer(std::size_t i) const { return writers_[task(i).key.output].get(); }
  bool is_stopped() const { return run_.stop != nullptr && run_.stop->load(std::memory_order_relaxed); }

  Result<bool> is_finished(u32 output) const;
  Status restore_tasks();
  Result<bool> is_there(std::size_t i, const JournalTensor& tensor) const;
  Status convert_task(std::size_t i, ByteProgress& progress);
  Result<Sha256Digest> tail_of(std::size_t i, u64 bytes) const;
  Status add(std::size_t i, u64 bytes, const TensorConversion& done);
  Status make_safe();
  Status consume_sources();
  std::vector<u32> sources_of(const ConversionTask& task) const;

  const Conversion& conversion_;
  const ConversionRun& run_;
  Journal journal_;
  bool is_worth_keeping_;                                        // what is on the disk, for another run
  std::vector<std::unique_ptr<formats::TensorWriter>> writers_;  // nullptr: that output is finished
  std::vector<u64> done_bytes_;                                  // per task, when this run begins
  std::vector<TensorConversion> results_;                        // per task

  std::mutex pending_mutex_;
  std::vector<Safe> pending_;  // guarded by pending_mutex_, as is pending_bytes_
  u64 pending_bytes_ = 0;
  std::mutex safe_mutex_;
  std::set<std::size_t>
      safe_;  // tasks that are whole and recorded; guarded by safe_mutex_, as are journal and consumed_
  std::set<const MappedFile*> consumed_;
};

// Whether an earlier run gave the output its name.
Result<bool> Runner::is_finished(u32 output) const {
  const std::string& path = conversion_.outputs[output].path;
  const Sha256Digest* digest = journal_.finished(output);
  std::error_code ignored;
  if (digest == nullptr || !std::filesystem::exists(path, ignored)) return false;
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  std::vector<std::byte> header(std::min<u64>(kHeaderBytes, file->bytes().size()));
  if (Status read = file->read_at(0, header); !read) return read.error();
  return sha256(header) == *digest && file->bytes().size() == conversion_.outputs[output].bytes;
}

Status Runner::open_outputs() {
  for (u32 i = 0; i < conversion_.outputs.size(); ++i) {
    const Result<bool> finished = is_finished(i);
    if (!finished) return finished.error();
    writers_.emplace_back();
    if (*finished) continue;
    auto opened =
        conversion_.outputs[i].open(journal_.resumed() ? formats::WriteMode::kResume : formats::WriteMode::kResumable);
    if (!opened) return opened.error();
    writers_.back() = *std::move(opened);
  }
  return restore_tasks();
}

Result<Sha256Digest> Runner::tail_of(std::size_t i, u64 bytes) const {
  std::vector<std::byte> tail(std::min(bytes, kTailBytes));
  const u64 end = writer(i)->range(task(i).key.tensor).offset + bytes;
  if (Status read = writer(i)->file().read_at(end - tail.size(), tail); !read) return read.error();
  return sha256(tail);
}

// Whether the output holds what the journal says: not where somebody removed or replaced it.
Result<bool> Runner::is_there(std::size_t i, const JournalTensor& tensor) const {
  const u64 all = writer(i)->range(task(i).key.tensor).bytes;
  if (tensor.bytes > all || (tensor.bytes < all && (task(i).unit_bytes == 0 || tensor.bytes % task(i).unit_bytes != 0)))
    return false;
  const Result<Sha256Digest> tail = tail_of(i, tensor.bytes);
  if (!tail) return tail.error();
  return *tail == tensor.tail;
}

Status Runner::restore_tasks() {
  const std::size_t n = conversion_.tasks.size();
  done_bytes_.resize(n);
  results_.resize(n);
  return run_tasks(n, run_.n_threads, [&](u64 i) -> Status {
    const JournalTensor* tensor = journal_.find(task(i).key);
    if (tensor == nullptr) {
      check(writer(i) != nullptr, "an output is finished after everything in it was recorded");
      return {};
    }
    if (writer(i) != nullptr) {
      const Result<bool> there = is_there(i, *tensor);
      if (!there) return there.error();
      if (!*there) return {};  // made again
      if (Status restored = writer(i)->restore(task(i).key.tensor, tensor->bytes, tensor->digest); !restored) {
        return restored;
      }
    }
    done_bytes_[i] = tensor->bytes;
    results_[i] = {.bytes_in = tensor->bytes_in, .small = tensor->small};
    if (writer(i) != nullptr && tensor->bytes < writer(i)->range(task(i).key.tensor).bytes) return {};
    const std::lock_guard lock(safe_mutex_);
    safe_.insert(i);
    return {};
  });
}

std::vector<u32> Runner::sources_of(const ConversionTask& task) const {
  std::vector<u32> sources;
  for (u32 i = 0; i < conversion_.sources.size(); ++i) {
    if (std::ranges::find(task.files, conversion_.sources[i]) != task.files.end()) sources.push_back(i);
  }
  return sources;
}

// The most that is still to come at any moment: sources that go make room for what comes after them.
Status Runner::check_room() const {
  u64 has = 0;
  for (const auto& writer : writers_) has += writer == nullptr ? 0 : writer->file().allocated_bytes();
  u64 all = 0;
  for (std::size_t i = 0; i < writers_.size(); ++i) all += writers_[i] == nullptr ? 0 : conversion_.outputs[i].bytes;
  u64 needed = all - std::min(has, all);
  if (!conversion_.consumed.empty()) {
    std::map<const MappedFile*, u64> left;  // tasks that still need the source
    std::vector<u64> sizes;
    for (std::size_t i = 0; i < conversion_.tasks.size(); ++i) {
      if (safe_.contains(i)) continue;
      for (const MappedFile* file : task(i).files) ++left[file];
      sizes.push_back(writer(i)->range(task(i).key.tensor).bytes);
    }
    u64 written = 0, freed = 0, most = 0;
    for (std::size_t i = 0; i < conversion_.tasks.size(); ++i) {
      if (safe_.contains(i)) continue;
      written += writer(i)->range(task(i).key.tensor).bytes - done_bytes_[i];
      most = std::max(most, written - std::min(written, freed));
      for (const MappedFile* file : task(i).files) {
        if (--left[file] == 0 && std::ranges::find(conversion_.consumed, file) != conversion_.consumed.end()) {
          freed += file->bytes().size();
        }
      }
    }
    // Tasks that other threads have begun meanwhile.
    std::ranges::sort(sizes, std::greater());
    for (std::size_t i = 1; i < std::min<std::size_t>(run_.n_threads, sizes.size()); ++i) most += sizes[i];
    needed = std::min(needed, most + run_.sync_bytes);
  }
  return convert::check_room(conversion_.path, needed);
}

Status Runner::add(std::size_t i, u64 bytes, const TensorConversion& done) {
  const Result<Sha256Digest> tail = tail_of(i, bytes);
  if (!tail) return tail.error();
  const bool whole = bytes == writer(i)->range(task(i).key.tensor).bytes;
  Safe safe{.task = i,
            .tensor = {.bytes = bytes,
                       .tail = *tail,
                       .digest = whole ? writer(i)->digest(task(i).key.tensor) : Sha256Digest{},
                       .bytes_in = done.bytes_in,
                       .small = done.small}};
  const std::lock_guard lock(pending_mutex_);
  pending_.push_back(safe);
  return {};
}

// Syncs the outputs, then records what they hold now, then lets sources go.
Status Runner::make_safe() {
  const std::lock_guard lock(safe_mutex_);
  std::vector<Safe> now;
  {
    const std::lock_guard pending(pending_mutex_);
    now.swap(pending_);
    pending_bytes_ = 0;
  }
  if (now.empty()) return {};
  std::set<u32> outputs;
  for (const Safe& safe : now) outputs.insert(task(safe.task).key.output);
  for (const u32 output : outputs) {
    if (Status synced = writers_[output]->file().sync(); !synced) return synced;
  }
  for (const Safe& safe : now) {
    const Status added = journal_.add(task(safe.task).key, safe.tensor, sources_of(task(safe.task)));
    if (!added) return added;
  }
  if (Status synced = journal_.sync(); !synced) return synced;
  is_worth_keeping_ = true;
  for (const Safe& safe : now) {
    if (safe.tensor.bytes == writer(safe.task)->range(task(safe.task).key.tensor).bytes) safe_.insert(safe.task);
  }
  return consume_sources();
}

Status Runner::consume_sources() {
  for (const MappedFile* source : conversion_.consumed) {
    if (source->is_gone() || consumed_.contains(source)) continue;
    bool needed = false;
    for (std::size_t i = 0; i < conversion_.tasks.size() && !needed; ++i) {
      needed = !safe_.contains(i) && std::ranges::find(task(i).files, source) != task(i).files.end();
    }
    if (needed) continue;
    const formats::GoneShard shard{.path = source->path(),
                                   .bytes = source->bytes().size(),
                                   .header = std::string(as_text(formats::safetensors_header(source->bytes())))};
    if (Status added = journal_.add_consumed(shard); !added) return added;
    if (Status synced = journal_.sync(); !synced) return synced;
    std::error_code code;
    if (!std::filesystem::remove(source->path(), code) && code) {
      return Error{fmt::format("{}: cannot remove this converted file: {}", source->path(), code.message())};
    }
    consumed_.insert(source);
  }
  return {};
}

Status Runner::convert_task(std::size_t i, ByteProgress& progress) {
  if (writer(i) == nullptr || done_bytes_[i] == writer(i)->range(task(i).key.tensor).bytes) return {};
  const JournalKey key = task(i).key;
  formats::TensorWriter& output = *writer(i);
  u64 bytes = done_bytes_[i];
  u64 noted = bytes;
  const Append append = [&](Bytes piece) -> Status {
    if (is_stopped()) return Error{"interrupted"};
    if (Status appended = output.append(key.tensor, piece); !appended) return appended;
    progress.add(piece.size());
    bytes += piece.size();
    bool full = false;
    {
      const std::lock_guard lock(pending_mutex_);
      pending_bytes_ += piece.size();
      full = pending_bytes_ >= run_.sync_bytes;
    }
    // Of a large table a part is worth recording.
    if (task(i).unit_bytes > 0 && bytes - noted >= run_.sync_bytes / 2 && bytes % task(i).unit_bytes == 0) {
      if (Status added = add(i, bytes, {}); !added) return added;
      noted = bytes;
    }
    return full ? make_safe() : Status();
  };
  Result<TensorConversion> done = task(i).convert(bytes, append);
  if (!done) return done.error();
  results_[i] = *std::move(done);
  return add(i, output.range(key.tensor).bytes, results_[i]);
}

Result<std::vector<TensorConversion>> Runner::convert() {
  if (Status consumed = consume_sources(); !consumed) return consumed.error();  // an earlier run could not
  u64 total = 0;
  u64 before = 0;
  for (std::size_t i = 0; i < conversion_.tasks.size(); ++i) {
    total += writer(i) == nullptr ? done_bytes_[i] : writer(i)->range(task(i).key.tensor).bytes;
    before += done_bytes_[i];
  }
  ByteProgress progress(run_.progress, total);
  if (before > 0) progress.add(before);
  const Status status =
      run_tasks(conversion_.tasks.size(), run_.n_threads, [&](u64 i) { return convert_task(i, progress); });
  const Status safe = make_safe();
  if (!status) return status.error();
  if (!safe) return safe.error();
  return results_;
}

Status Runner::finish() {
  for (u32 i = 0; i < writers_.size(); ++i) {
    if (writers_[i] == nullptr) continue;
    if (Status written = writers_[i]->write_header(); !written) return written;
    PartialFile& file = writers_[i]->file();
    std::vector<std::byte> header(std::min<u64>(kHeaderBytes, conversion_.outputs[i].bytes));
    if (Status read = file.read_at(0, header); !read) return read;
    if (Status added = journal_.add_finished(i, sha256(header)); !added) return added;
    if (Status synced = journal_.sync(); !synced) return synced;
    if (Status committed = file.commit(); !committed) return committed;
  }
  journal_.remove();
  return {};
}

Error Runner::give_up(const Error& error) {
  for (const auto& writer : writers_) {
    if (writer != nullptr && is_worth_keeping_) writer->file().keep();
  }
  if (!is_worth_keeping_) {
    journal_.remove();
    return error;
  }
  const std::string& path = conversion_.path;
  std::string consumed;
  for (const MappedFile* source : conversion_.consumed) {
    if (source->is_gone() || consumed_.contains(source)) {
      consumed = " (keep it: source files that went into it were removed)";
      break;
    }
  }
  return {
      fmt::format("{}\nWhat was converted so far is kept in {}{}; repeat the same command to go on. To start over, "
                  "remove it and {} first.",
                  error.message, partial_path(path), consumed, journal_path(path))};
}

}  // namespace

Result<std::vector<TensorConversion>> run_conversion(const Conversion& conversion, const ConversionRun& run) {
  const std::string& path = conversion.path;
  std::error_code ignored;
  if (!std::filesystem::exists(journal_path(path), ignored)) {
    for (const ConversionOutput& output : conversion.outputs) {
      if (Status is_free = refuse_existing(output.path); !is_free) return is_free.error();
    }
  }
  Result<Journal> journal = Journal::open(path, conversion.plan, conversion.sources);
  if (!journal) return journal.error();
  Runner runner(conversion, run, *std::move(journal));
  Status ready = runner.open_outputs();
  if (ready) ready = runner.check_room();
  if (!ready) return runner.give_up(ready.error());
  Result<std::vector<TensorConversion>> results = runner.convert();
  if (!results) return runner.give_up(results.error());
  if (Status finished = runner.finish(); !finished) return runner.give_up(finished.error());
  return results;
}

}  // namespace bolide::convert
