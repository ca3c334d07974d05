// The worked examples of tests/text/data/prompts.jsonl.
#include <gtest/gtest.h>
#include <string>

#include "text/chat_body.h"
#include "text/nano_tokenizer.h"
#include "text/vector_file.h"

namespace bolide::text {
namespace {

class Prompts : public testing::TestWithParam<Json> {};

TEST_P(Prompts, AreRenderedAsPrinted) {
  const Result<ChatRequest> request = read_chat_body(*GetParam().find("input"));
  ASSERT_TRUE(request) << request.error().message;
  const Result<Prompt> prompt = render_chat(request->conversation, request->options);
  ASSERT_TRUE(prompt) << prompt.error().message;
  EXPECT_EQ(prompt_text(nano_tokenizer(), *prompt), field(GetParam(), "prompt"));
  EXPECT_EQ(std::to_string(prompt->images.size()), field(GetParam(), "images"));
  // No example holds a forged marker, so the ids are those of the text as a whole.
  EXPECT_EQ(encode_prompt(nano_tokenizer(), *prompt),
            nano_tokenizer().encode(field(GetParam(), "prompt"), AddedTokens::kMatch));
}

INSTANTIATE_TEST_SUITE_P(Worked, Prompts, testing::ValuesIn(read_vectors("prompts.jsonl")),
                         [](const auto& vector) { return field(vector.param, "name"); });

}  // namespace
}  // namespace bolide::text
