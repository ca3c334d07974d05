// Our side of the comparison with an independent tokenizer (run.sh): texts as JSON strings, one a line on stdin; their
// token ids as JSON arrays, one a line on stdout.
//   encode_lines TOKENIZER.JSON [--literal]
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include "base/json.h"
#include "text/tokenizer.h"

namespace {

int fail(const bolide::Error& error) {
  std::fprintf(stderr, "encode_lines: %s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace bolide;
  if (argc < 2) return fail(Error{"needs a tokenizer.json"});
  const bool literal = argc > 2 && std::string_view(argv[2]) == "--literal";
  const Result<text::Tokenizer> tokenizer = text::Tokenizer::from_file(argv[1]);
  if (!tokenizer) return fail(tokenizer.error());

  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const Result<boost::json::value> value = parse_json(line, "stdin");
    if (!value) return fail(value.error());
    const boost::json::string* content = value->if_string();
    if (content == nullptr) return fail(Error{"a line is not a JSON string"});
    const auto added_tokens = literal ? text::AddedTokens::kIgnore : text::AddedTokens::kMatch;
    const auto ids = tokenizer->encode(std::string_view(content->data(), content->size()), added_tokens);
    if (tokenizer->decode(ids) != std::string_view(content->data(), content->size())) {
      return fail(Error{"decoding the ids of this line gives another text: " + line});
    }
    const char* before = "[";
    for (const u32 id : ids) {
      std::cout << before << id;
      before = ",";
    }
    std::cout << (ids.empty() ? "[]\n" : "]\n");
  }
  return 0;
}
