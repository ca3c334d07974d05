#include "convert/journal.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/partial_file.h"

namespace bolide::convert {
namespace {

// The kinds of records; each begins with its number.
enum class Kind : u8 { kPlan = 1, kSource, kTensor, kFinished, kConsumed };

constexpr u64 kStampedBytes = 1 << 20;  // of a source's beginning, where its header is

class Fields {
 public:
  explicit Fields(Kind kind) { put(kind); }
  template <class T>
  Fields& put(const T& value) {
    text_ += as_text(std::as_bytes(std::span(&value, 1)));
    return *this;
  }
  Fields& put_text(std::string_view text) {
    put(u64{text.size()});
    text_ += text;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Reads what Fields wrote. Records have hashes, so they are as they were written: one that is too short is of another
// version, and gives zeros.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : text_(text) {}
  template <class T>
  T get() {
    T value{};
    if (text_.size() < sizeof value) return value;
    value = load<T>(as_bytes(text_).data());
    text_.remove_prefix(sizeof value);
    return value;
  }
  std::string get_text() {
    const u64 size = std::min<u64>(get<u64>(), text_.size());
    std::string text(text_.substr(0, size));
    text_.remove_prefix(size);
    return text;
  }

 private:
  std::string_view text_;
};

formats::GoneShard consumed_shard(FieldReader& fields) {
  formats::GoneShard shard;
  shard.path = fields.get_text();
  shard.bytes = fields.get<u64>();
  shard.header = fields.get_text();
  return shard;
}

}  // namespace

std::string journal_path(const std::string& output_path) {
  return partial_path(output_path) + ".journal";
}

Result<Journal> Journal::open(const std::string& output_path, const Sha256Digest& plan,
                              const std::vector<const MappedFile*>& sources) {
  Result<RecordFile> file = RecordFile::open(journal_path(output_path));
  if (!file) return file.error();
  Journal journal(*std::move(file), output_path);
  if (Status read = journal.read(plan); !read) return read.error();
  if (!journal.begun_) {
    if (Status begun = journal.file_.append(Fields(Kind::kPlan).put(plan).text()); !begun) return begun.error();
  }
  if (Status same = journal.check_sources(sources); !same) return same.error();
  return journal;
}

Status Journal::read(const Sha256Digest& plan) {
  for (const std::string& record : file_.records()) {
    FieldReader fields(record);
    const Kind kind = fields.get<Kind>();
    const auto number = kind == Kind::kPlan || kind == Kind::kConsumed ? 0 : fields.get<u32>();
    switch (kind) {
      case Kind::kPlan:
        begun_ = true;
        if (fields.get<Sha256Digest>() == plan) break;
        return Error{
            fmt::format("{}: there is an unfinished conversion to this file, of another model or with other options; "
                        "repeat its command to finish it, or remove {} and {} to start over",
                        output_path_, partial_path(output_path_), file_.path())};
      case Kind::kSource:
        stamps_[number] = fields.get<Stamp>();
        break;
      case Kind::kTensor: {
        const JournalKey key{.output = number, .tensor = fields.get<u32>()};
        tensors_[key] = fields.get<JournalTensor>();
        for (auto n = fields.get<u32>(); n > 0; --n) used_[fields.get<u32>()] = true;
        break;
      }
      case Kind::kFinished:
        finished_[number] = fields.get<Sha256Digest>();
        break;
      case Kind::kConsumed:
        break;  // consumed_shards() reads these
    }
  }
  return {};
}

Result<Journal::Stamp> Journal::stamp_of(const MappedFile& file) {
  Stamp stamp{.bytes = file.bytes().size(), .modified_ns = file.modified_ns()};
  std::vector<std::byte> beginning(std::min(stamp.bytes, kStampedBytes));
  if (Status read = file.read_at(0, beginning); !read) return read.error();
  stamp.beginning = sha256(beginning);
  return stamp;
}

Status Journal::check_sources(const std::vector<const MappedFile*>& sources) {
  for (u32 i = 0; i < sources.size(); ++i) {
    const MappedFile& source = *sources[i];
    if (source.is_gone()) continue;
    const Result<Stamp> stamp = stamp_of(source);
    if (!stamp) return stamp.error();
    const auto known = stamps_.find(i);
    if (known != stamps_.end() && known->second == *stamp) continue;
    if (known != stamps_.end() && used_.contains(i)) {
      return Error{
          fmt::format("{}: this file changed after a part of it was converted ({} bytes then, {} now{}); put the old "
                      "one back, or remove {} and {} to start over",
                      source.path(), known->second.bytes, stamp->bytes,
                      known->second.beginning == stamp->beginning ? ", written to meanwhile" : ", another header",
                      partial_path(output_path_), file_.path())};
    }
    if (Status added = file_.append(Fields(Kind::kSource).put(i).put(*stamp).text()); !added) return added;
  }
  return {};
}

const JournalTensor* Journal::find(const JournalKey& key) const {
  const auto found = tensors_.find(key);
  return found == tensors_.end() ? nullptr : &found->second;
}

const Sha256Digest* Journal::finished(u32 output) const {
  const auto found = finished_.find(output);
  return found == finished_.end() ? nullptr : &found->second;
}

Status Journal::add(const JournalKey& key, const JournalTensor& tensor, const std::vector<u32>& sources) {
  Fields fields(Kind::kTensor);
  fields.put(key.output).put(key.tensor).put(tensor).put(static_cast<u32>(sources.size()));
  for (const u32 source : sources) fields.put(source);
  return file_.append(fields.text());
}

Status Journal::add_finished(u32 output, const Sha256Digest& digest) {
  return file_.append(Fields(Kind::kFinished).put(output).put(digest).text());
}

Status Journal::add_consumed(const formats::GoneShard& shard) {
  return file_.append(Fields(Kind::kConsumed).put_text(shard.path).put(shard.bytes).put_text(shard.header).text());
}

Result<std::vector<formats::GoneShard>> consumed_shards(const std::string& output_path) {
  const Result<std::vector<std::string>> records = read_records(journal_path(output_path));
  if (!records) return records.error();
  std::vector<formats::GoneShard> shards;
  for (const std::string& record : *records) {
    FieldReader fields(record);
    if (fields.get<Kind>() == Kind::kConsumed) shards.push_back(consumed_shard(fields));
  }
  return shards;
}

}  // namespace bolide::convert
