// Speed of the tokenizer on one core: MB per second of processor time, the best of several runs; and tokens per kB.
//   tokenizer_bench TOKENIZER.JSON TEXT_FILE...
#include <cstdio>
#include <string>

#include "processor_time.h"

#include "base/mapped_file.h"
#include "text/splitter.h"
#include "text/tokenizer.h"

namespace {

using namespace bolide;
using bench::best_seconds;

std::size_t count_pieces(std::string_view text) {
  text::Splitter splitter(text);
  std::size_t n = 0;
  while (!splitter.next().empty()) ++n;
  return n;
}

int fail(const Error& error) {
  std::fprintf(stderr, "tokenizer_bench: %s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fail(Error{"needs a tokenizer.json and text files"});
  const Result<std::string> json = read_text_file(argv[1], u64{1} << 30);
  if (!json) return fail(json.error());
  const double load_seconds = best_seconds([&] { (void)text::Tokenizer::from_json(*json, argv[1]); });
  const Result<text::Tokenizer> tokenizer = text::Tokenizer::from_json(*json, argv[1]);
  if (!tokenizer) return fail(tokenizer.error());
  std::printf("%s: %zu tokens, loaded in %.0f ms\n", argv[1], tokenizer->vocab_size(), load_seconds * 1e3);
  std::printf("%8s %8s %8s %8s %8s  text\n", "MB", "split", "encode", "decode", "tokens");
  std::printf("%8s %8s %8s %8s %8s\n", "", "MB/s", "MB/s", "MB/s", "per kB");
  for (int i = 2; i < argc; ++i) {
    const Result<MappedFile> file = MappedFile::open(argv[i]);
    if (!file) return fail(file.error());
    const std::string_view content = as_text(file->bytes());
    const double megabytes = static_cast<double>(content.size()) / 1e6;
    std::size_t n_pieces = 0;
    const double split = best_seconds([&] { n_pieces = count_pieces(content); });
    std::vector<u32> ids;
    const double encode = best_seconds([&] { ids = tokenizer->encode(content, text::AddedTokens::kMatch); });
    std::string decoded;
    const double decode = best_seconds([&] { decoded = tokenizer->decode(ids); });
    if (decoded != content) return fail(Error{std::string(argv[i]) + ": decoding gives another text"});
    std::printf("%8.2f %8.1f %8.1f %8.1f %8.1f  %s (%zu pieces)\n", megabytes, megabytes / split, megabytes / encode,
                megabytes / decode, static_cast<double>(ids.size()) / megabytes / 1e3, argv[i], n_pieces);
  }
  return 0;
}
