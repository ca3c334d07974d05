// Holds the rooms apart: a room uses only rooms above it in the table of docs/map.md, read from the includes in src/.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace bolide {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

// From the top of the table to its bottom. A new room gets its line here and in docs/map.md.
constexpr std::array<std::string_view, 16> kRooms = {
    "base",     "arith", "formats", "text",  "engram", "model",  "convert", "ops",  //
    "backends", "plan",  "session", "draft", "store",  "engine", "serve",   "app"};

// The first folder of a path written from src/, which is its room; the whole path when it has no folder.
std::string_view room_of(std::string_view path) {
  return path.substr(0, path.find('/'));
}

// The place of a room in the table, or nothing.
std::optional<std::size_t> place_of(std::string_view room) {
  const auto found = std::ranges::find(kRooms, room);
  if (found == kRooms.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kRooms.begin());
}

// The file named by an include directive with quotes, or nothing.
std::optional<std::string_view> included_file(std::string_view line) {
  const auto skip_blanks = [&line] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  skip_blanks();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(std::string_view("include").size());
  skip_blanks();
  if (!line.starts_with('"')) return std::nullopt;
  line.remove_prefix(1);
  return line.substr(0, line.find('"'));
}

// What is wrong with the includes of one source file: `path` is written from src/, `text` is its content.
std::vector<std::string> broken_includes(std::string_view path, std::string_view text) {
  std::vector<std::string> broken;
  const auto own_place = place_of(room_of(path));
  if (!own_place) {
    broken.push_back(fmt::format("{}: its folder is no room of docs/map.md", path));
    return broken;
  }
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const auto file = included_file(line);
    if (!file) continue;
    const auto place = place_of(room_of(*file));
    if (!place) {
      broken.push_back(fmt::format("{}:{}: \"{}\" is not written from src/", path, number, *file));
    } else if (*place > *own_place) {
      broken.push_back(
          fmt::format("{}:{}: {} may not use {}, which is below it", path, number, room_of(path), kRooms.at(*place)));
    }
  }
  return broken;
}

bool is_source(const fs::path& file) {
  static constexpr std::array<std::string_view, 6> kEndings = {".h", ".cc", ".cu", ".cuh", ".metal", ".mm"};
  return std::ranges::find(kEndings, file.extension().string()) != kEndings.end();
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(RoomOrder, NoSourceFileUsesARoomBelowItsOwn) {
  const fs::path src = fs::path(BOLIDE_SOURCE_DIR) / "src";
  std::size_t files_read = 0;
  for (const auto& entry : fs::recursive_directory_iterator(src)) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    ++files_read;
    EXPECT_THAT(broken_includes(fs::relative(entry.path(), src).generic_string(), read_text(entry.path())), IsEmpty());
  }
  EXPECT_GT(files_read, 10u) << "too few sources found in " << src;
}

TEST(RoomOrder, TheTableOfTheMapListsTheSameRooms) {
  std::vector<std::string> listed;
  std::istringstream lines(read_text(fs::path(BOLIDE_SOURCE_DIR) / "docs/map.md"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| `")) listed.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_THAT(listed, ElementsAreArray(kRooms));
}

TEST(RoomOrder, EveryFolderOfSrcIsARoom) {
  for (const auto& entry : fs::directory_iterator(fs::path(BOLIDE_SOURCE_DIR) / "src")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(place_of(entry.path().filename().string())) << entry.path() << " is no room of docs/map.md";
  }
}

TEST(RoomOrder, APlantedUpwardArrowIsNamedWithFileAndLine) {
  EXPECT_THAT(broken_includes("text/tokenizer.cc", "#include \"base/json.h\"\n\n  #  include \"engine/engine.h\"\n"),
              ElementsAre("text/tokenizer.cc:3: text may not use engine, which is below it"));
}

TEST(RoomOrder, RoomsAboveTheOwnRoomAndLibrariesAreAllowed) {
  EXPECT_THAT(
      broken_includes("model/config.h", "#include <vector>\n#include \"base/json.h\"\n#include \"model/a.h\"\n"),
      IsEmpty());
}

TEST(RoomOrder, AnIncludeNotWrittenFromSrcIsNamed) {
  EXPECT_THAT(broken_includes("model/config.h", "#include \"roles.h\"\n#include \"../base/json.h\"\n"),
              ElementsAre("model/config.h:1: \"roles.h\" is not written from src/",
                          "model/config.h:2: \"../base/json.h\" is not written from src/"));
}

TEST(RoomOrder, AnUnknownFolderIsNamed) {
  EXPECT_THAT(broken_includes("util/strings.cc", ""),
              ElementsAre("util/strings.cc: its folder is no room of docs/map.md"));
}

}  // namespace
}  // namespace bolide
