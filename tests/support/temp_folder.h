// A folder for one test, gone at its end.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/check.h"

namespace bolide::test {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "bolide-test-XXXXXX").string();
    check(::mkdtemp(name.data()) != nullptr, "a test can make a folder for itself");
    path_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  TempFolder(TempFolder&&) = delete;
  TempFolder& operator=(TempFolder&&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  void write(std::string_view name, std::string_view content) const {
    std::ofstream stream(file(name), std::ios::binary);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    check(stream.good(), "a test can write its file");
  }
  bool has(std::string_view name) const { return std::filesystem::exists(file(name)); }

 private:
  std::string path_;
};

}  // namespace bolide::test
