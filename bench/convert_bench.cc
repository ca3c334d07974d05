// How fast a checkpoint is converted, beside reading it and beside writing as many bytes, in one run, and what memory
// that takes (docs/decisions/0015-resumable-conversion.md).
//
//   convert_bench CHECKPOINT FOLDER [ROUNDS [THREADS]]   FOLDER: for what is written, removed again
//
// Make the checkpoint before: bolide synth --shape ci --experts 256 --to checkpoint CHECKPOINT   (4 GB)
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/partial_file.h"
#include "convert/checkpoint_to_packed.h"
#include "convert/file_names.h"
#include "convert/parallel.h"

namespace bolide {
namespace {

constexpr u64 kPiece = 1 << 20;
constexpr u64 kTaskBytes = 64 << 20;

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// So that reading is reading from the disk.
void forget_pages(const MappedFile& file) {
#ifdef POSIX_FADV_DONTNEED
  const int fd = ::open(file.path().c_str(), O_RDONLY);
  check(fd >= 0 && ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0, "the checkpoint's files can be opened");
  ::close(fd);
#else
  static_cast<void>(file);
#endif
}

void forget(const std::vector<MappedFile>& shards) {
  for (const MappedFile& shard : shards) forget_pages(shard);
}

void read_all(const std::vector<MappedFile>& shards, u32 n_threads) {
  struct Part {
    const MappedFile* file;
    u64 begin;
  };
  std::vector<Part> parts;
  for (const MappedFile& shard : shards) {
    for (u64 at = 0; at < shard.bytes().size(); at += kTaskBytes) parts.push_back({&shard, at});
  }
  const Status done = convert::run_tasks(parts.size(), n_threads, [&](u64 i) -> Status {
    std::vector<std::byte> piece(kPiece);
    const u64 end = std::min<u64>(parts[i].begin + kTaskBytes, parts[i].file->bytes().size());
    for (u64 at = parts[i].begin; at < end; at += kPiece) {
      const auto now = std::span(piece).first(std::min(kPiece, end - at));
      if (Status read = parts[i].file->read_at(at, now); !read) return read;
    }
    return {};
  });
  check(done.ok(), "the checkpoint can be read");
}

void write_all(const std::string& path, u64 bytes, u32 n_threads) {
  Result<PartialFile> file = PartialFile::create(path, bytes);
  check(file.ok(), "there is room for the files");
  const Status done = convert::run_tasks((bytes + kTaskBytes - 1) / kTaskBytes, n_threads, [&](u64 i) -> Status {
    const std::vector<std::byte> piece(kPiece, std::byte{0x5a});
    const u64 end = std::min(bytes, (i + 1) * kTaskBytes);
    for (u64 at = i * kTaskBytes; at < end; at += kPiece) {
      if (Status written = file->write_at(at, Bytes(piece).first(std::min(kPiece, end - at))); !written) return written;
    }
    return {};
  });
  check(done.ok() && file->sync().ok(), "there is room for the files");
}

u64 largest_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  return static_cast<u64>(usage.ru_maxrss);
#else
  return static_cast<u64>(usage.ru_maxrss) * 1024;
#endif
}

void run(const convert::CheckpointFolder& folder, const std::string& out, int rounds, u32 n_threads) {
  const std::vector<MappedFile>& shards = folder.checkpoint->shards();
  u64 bytes = 0;
  for (const MappedFile& shard : shards) bytes += shard.bytes().size();
  const double gigabytes = static_cast<double>(bytes) * 1e-9;
  fmt::print("{} threads, checkpoint of {:.2f} GB; memory before: {:.0f} MB\n", n_threads, gigabytes,
             static_cast<double>(largest_memory_bytes()) * 1e-6);
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    forget(shards);
    const double reading = gigabytes / seconds([&] { read_all(shards, n_threads); });
    const double writing = gigabytes / seconds([&] { write_all(out + "/probe", bytes, n_threads); });
    forget(shards);
    const std::string path = out + "/model.bolide";
    const double converting = gigabytes / seconds([&] {
                                const auto done = convert::convert_to_files(folder, path, {.n_threads = n_threads});
                                check(done.ok(), "the checkpoint can be converted");
                              });
    std::filesystem::remove(path);
    std::filesystem::remove(convert::engram_path(path));
    const double part = converting / std::min(reading, writing);
    best = std::max(best, part);
    fmt::print(
        "reading {:.2f} GB/s, writing and syncing {:.2f} GB/s, converting {:.2f} GB/s: {:.0f} % of the smaller\n",
        reading, writing, converting, 100 * part);
  }
  fmt::print("best of {}: {:.0f} %; largest memory: {:.0f} MB\n", rounds, 100 * best,
             static_cast<double>(largest_memory_bytes()) * 1e-6);
}

}  // namespace
}  // namespace bolide

int main(int argc, char** argv) {
  using namespace bolide;
  if (argc < 3) {
    fmt::print(stderr, "usage: convert_bench CHECKPOINT FOLDER [ROUNDS [THREADS]]\n");
    return 2;
  }
  const auto folder = convert::open_checkpoint_folder(argv[1]);
  if (!folder) {
    fmt::print(stderr, "{}\n", folder.error().message);
    return 1;
  }
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 3;
  const u32 n_threads =
      argc > 4 ? static_cast<u32>(std::atoi(argv[4])) : std::max(1U, std::thread::hardware_concurrency());
  run(*folder, argv[2], rounds, n_threads);
}
