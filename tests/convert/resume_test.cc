// Conversions that end early, by a kill, a signal, a full disk or a bad source: repeated, they go on from where they
// were, and what comes out is byte for byte what an uninterrupted one makes.
#include <csignal>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mapped_file.h"
#include "base/sha256.h"
#include "convert/checkpoint_to_packed.h"
#include "convert/file_names.h"
#include "convert/to_gguf.h"
#include "support/temp_folder.h"

namespace bolide::convert {
namespace {

using testing::HasSubstr;

constexpr const char* kNano = BOLIDE_SOURCE_DIR "/models/nano";
constexpr u64 kSync = 1 << 20;

Sha256Digest hash_of(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  EXPECT_TRUE(file) << path;
  return file ? sha256(file->bytes()) : Sha256Digest{};
}

struct Form {
  const char* name;
  const char* out;
  const char* second;  // the file beside it
};

// Converts, resumed or not; the error, or nothing.
std::string convert(const std::string& in, const std::string& out, const ConvertOptions& options) {
  const Result<std::vector<formats::GoneShard>> gone = consumed_shards(out);
  if (!gone) return gone.error().message;
  const Result<CheckpointFolder> folder = open_checkpoint_folder(in, *gone);
  if (!folder) return folder.error().message;
  if (out.ends_with(kGgufExtension)) {
    const auto done = convert_to_gguf(gguf_input(*folder), out, GgufRecipe::kMxfp4, options);
    return done ? "" : done.error().message;
  }
  const auto done = convert_to_files(*folder, out, options);
  return done ? "" : done.error().message;
}

// In a process of its own that kills itself once so many bytes are written.
void convert_and_die(const std::string& in, const std::string& out, ConvertOptions options, u64 at_bytes) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    options.progress = [at_bytes](u64 done, u64) {
      if (done >= at_bytes) ::raise(SIGKILL);
    };
    convert(in, out, options);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it was to be killed at " << at_bytes;
}

class Resume : public testing::TestWithParam<Form> {
 protected:
  std::string out() const { return folder_.file(GetParam().out); }
  std::string second() const { return folder_.file(GetParam().second); }

  // What uninterrupted conversions make.
  static void SetUpTestSuite() {
    whole_ = std::make_unique<test::TempFolder>();
    for (const char* name : {"out.bolide", "out.gguf"}) ASSERT_EQ(convert(kNano, whole_->file(name), {}), "");
  }
  static void TearDownTestSuite() { whole_.reset(); }

  void expect_whole() const {
    EXPECT_EQ(hash_of(out()), hash_of(whole_->file(GetParam().out)));
    EXPECT_EQ(hash_of(second()), hash_of(whole_->file(GetParam().second)));
    EXPECT_FALSE(folder_.has(std::string(GetParam().out) + ".partial"));
    EXPECT_FALSE(folder_.has(std::string(GetParam().out) + ".partial.journal"));
  }

  const test::TempFolder folder_;
  static std::unique_ptr<test::TempFolder> whole_;
};
std::unique_ptr<test::TempFolder> Resume::whole_;

TEST_P(Resume, AfterAKillAtAnyPointTheFilesAreTheSame) {
  const ConvertOptions options{.n_threads = 2, .sync_bytes = kSync};
  for (const u64 at : {u64{1}, u64{8'000'000}, u64{20'000'000}}) {
    ASSERT_NO_FATAL_FAILURE(convert_and_die(kNano, out(), options, at));
    EXPECT_FALSE(folder_.has(GetParam().out)) << "an unfinished file must not look finished";
    // It goes on; what the killed run had safe is not made again.
    u64 first = 0;
    ConvertOptions resumed = options;
    resumed.progress = [&first](u64 done, u64) { first = first == 0 ? done : first; };
    ASSERT_EQ(convert(kNano, out(), resumed), "");
    EXPECT_GE(3 * first + 4 * kSync, at) << "killed at " << at;
    expect_whole();
    std::filesystem::remove(out());
    std::filesystem::remove(second());
  }
}

TEST_P(Resume, AlsoAfterSeveralKills) {
  const ConvertOptions options{.n_threads = 1, .sync_bytes = kSync};
  for (const u64 at : {u64{5'000'000}, u64{12'000'000}, u64{18'000'000}}) {
    ASSERT_NO_FATAL_FAILURE(convert_and_die(kNano, out(), options, at));
  }
  ASSERT_EQ(convert(kNano, out(), options), "");
  expect_whole();
}

TEST_P(Resume, AStopSignalKeepsWhatIsDone) {
  std::atomic<bool> stop = false;
  ConvertOptions options{.n_threads = 2, .sync_bytes = kSync, .stop = &stop};
  options.progress = [&stop](u64 done, u64) { stop = done > 5'000'000; };
  EXPECT_THAT(convert(kNano, out(), options),
              AllOf(HasSubstr("interrupted"), HasSubstr(out() + ".partial"), HasSubstr("To start over")));
  EXPECT_FALSE(folder_.has(GetParam().out));
  ASSERT_EQ(convert(kNano, out(), {}), "");
  expect_whole();
}

TEST_P(Resume, WhatSomebodyDamagedMeanwhileIsMadeAgain) {
  ASSERT_NO_FATAL_FAILURE(convert_and_die(kNano, out(), {.n_threads = 1, .sync_bytes = kSync}, 15'000'000));
  std::filesystem::remove(out() + ".partial");
  ASSERT_EQ(convert(kNano, out(), {}), "");
  expect_whole();
}

INSTANTIATE_TEST_SUITE_P(Forms, Resume,
                         testing::Values(Form{"Packed", "out.bolide", "out.engram"},
                                         Form{"Gguf", "out.gguf", "out-draft.gguf"}),
                         [](const auto& form) { return std::string(form.param.name); });

// A copy of nano whose shards may be changed.
class ChangingSource : public testing::Test {
 protected:
  ChangingSource() {
    std::filesystem::copy(kNano, model_.path(), std::filesystem::copy_options::recursive);
    for (const auto& file : std::filesystem::directory_iterator(model_.path())) {
      std::filesystem::permissions(file.path(), std::filesystem::perms::owner_write,
                                   std::filesystem::perm_options::add);
    }
  }
  std::string out() const { return folder_.file("out.bolide"); }
  std::string shard(int number) const {
    return model_.file("model-0000" + std::to_string(number) + "-of-00003.safetensors");
  }

  const test::TempFolder model_;
  const test::TempFolder folder_;
  const ConvertOptions options_{.n_threads = 1, .sync_bytes = kSync};
};

TEST_F(ChangingSource, IsNoticedOnceAPartOfItIsConverted) {
  ASSERT_NO_FATAL_FAILURE(convert_and_die(model_.path(), out(), options_, 18'000'000));
  for (int i = 1; i <= 3; ++i) {
    std::filesystem::last_write_time(shard(i), std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  }
  EXPECT_THAT(convert(model_.path(), out(), options_),
              AllOf(HasSubstr(".safetensors: this file changed after a part of it was converted"),
                    HasSubstr("put the old one back, or remove " + out() + ".partial")));
}

TEST_F(ChangingSource, ThatIsCutWhileItIsReadIsAnError) {
  ConvertOptions options = options_;
  options.progress = [&](u64 done, u64) {
    if (done > 5'000'000) std::filesystem::resize_file(shard(2), 10'000);
  };
  EXPECT_THAT(convert(model_.path(), out(), options),
              AllOf(HasSubstr("model-00002-of-00003.safetensors: the file ends before byte"),
                    HasSubstr("it was cut while in use")));
  EXPECT_FALSE(folder_.has("out.bolide"));
}

TEST_F(ChangingSource, AnotherConversionToTheSameFileIsRefused) {
  ASSERT_NO_FATAL_FAILURE(convert_and_die(model_.path(), out(), options_, 10'000'000));
  ConvertOptions other = options_;
  other.with_draft = false;
  EXPECT_THAT(convert(model_.path(), out(), other), HasSubstr("of another model or with other options"));
  EXPECT_EQ(convert(model_.path(), out(), options_), "");
}

// Nothing of it was converted yet, so the new one is as good.
TEST_F(ChangingSource, AShardThatWasDamagedIsReplacedAndTheConversionGoesOn) {
  const std::string copy = model_.file("copy");
  std::filesystem::copy_file(shard(3), copy);
  {
    const Result<CheckpointFolder> folder = open_checkpoint_folder(model_.path());
    const auto specs = model::tensor_specs(folder->config);
    const auto first = std::ranges::find_if(specs, [&](const model::TensorSpec& spec) {
      return folder->checkpoint->find(spec.expert_name(0))->shard == 2;
    });
    const formats::Tensor& tensor = *folder->checkpoint->find(first->expert_name(0));
    std::fstream file(shard(3), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(tensor.file_offset));
    file.write("\xff\xff\xff\x7f", 4);  // NaN in every type
  }
  EXPECT_THAT(convert(model_.path(), out(), options_),
              AllOf(HasSubstr("is not a finite number"), HasSubstr("to go on")));
  std::filesystem::rename(copy, shard(3));
  u64 first = 0;
  ConvertOptions resumed = options_;
  resumed.progress = [&first](u64 done, u64) { first = first == 0 ? done : first; };
  EXPECT_EQ(convert(model_.path(), out(), resumed), "");
  EXPECT_GT(first, kSync);
}

TEST_F(ChangingSource, ConsumeRemovesShardsAndGoesOnWithoutThem) {
  const std::string whole = folder_.file("whole.bolide");
  ASSERT_EQ(convert(kNano, whole, {}), "");
  ConvertOptions options = options_;
  options.consume = true;
  u64 kills = 0;
  for (const u64 at : {u64{6'000'000}, u64{14'000'000}, u64{20'000'000}, u64{23'000'000}}) {
    ASSERT_NO_FATAL_FAILURE(convert_and_die(model_.path(), out(), options, at));
    for (int i = 1; i <= 3; ++i) kills += std::filesystem::exists(shard(i)) ? 0 : 1;
  }
  EXPECT_GT(kills, 0) << "a shard was gone before the end";
  ASSERT_EQ(convert(model_.path(), out(), options), "");
  EXPECT_EQ(hash_of(out()), hash_of(whole));
  EXPECT_EQ(hash_of(folder_.file("out.engram")), hash_of(folder_.file("whole.engram")));
  for (int i = 1; i <= 3; ++i) EXPECT_FALSE(std::filesystem::exists(shard(i)));
  EXPECT_TRUE(model_.has("config.json"));
}

// A file system of 96 MiB that only this process sees, which it may have as root or in a user namespace.
bool mount_small_disk(const std::string& folder) {
  const std::string uid = std::to_string(::getuid());
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/uid_map") << "0 " << uid << " 1";
  }
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=96m") == 0;
}

TEST(FullDisk, IsNamedAndTheConversionGoesOnWhenThereIsRoomAgain) {
  const test::TempFolder folder;
  const std::string out = folder.file("out.bolide");
  constexpr int kNotAllowed = 77;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!mount_small_disk(folder.path())) ::_exit(kNotAllowed);
    ConvertOptions options{.n_threads = 2, .sync_bytes = kSync};
    bool filled = false;
    options.progress = [&](u64 done, u64) {  // somebody else takes the room
      if (filled || done < 8'000'000) return;
      filled = true;
      std::ofstream ballast(folder.file("ballast"), std::ios::binary);
      const std::string piece(1 << 20, 'x');
      while (ballast.write(piece.data(), static_cast<std::streamsize>(piece.size())).flush()) continue;
    };
    const std::string error = convert(kNano, out, options);
    const bool named = error.find("the disk is full") != std::string::npos &&
                       error.find("repeat the same command") != std::string::npos;
    const bool hidden = !std::filesystem::exists(out);
    std::filesystem::remove(folder.file("ballast"));
    const bool went_on = convert(kNano, out, {}).empty();
    const std::string whole = folder.file("whole.bolide");
    const bool same = convert(kNano, whole, {}).empty() && hash_of(out) == hash_of(whole);
    ::_exit((named ? 0 : 1) | (hidden ? 0 : 2) | (went_on ? 0 : 4) | (same ? 0 : 8));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotAllowed) GTEST_SKIP() << "no file system of our own is allowed here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace bolide::convert
