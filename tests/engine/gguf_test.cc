// Nano in GGUF form: opened directly, and by way of a packed file, it is the same model bit for bit.
#include <gmock/gmock.h>

#include "convert/file_names.h"
#include "convert/gguf_to_packed.h"
#include "convert/to_gguf.h"
#include "engine/timeline.h"
#include "support/engine.h"
#include "support/temp_folder.h"

namespace bolide::engine {
namespace {

using ::testing::HasSubstr;

// Nano in ds4's naming with the packed types, and a packed file made of that.
class GgufOfNano : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<test::TempFolder>();
    const auto nano = convert::open_checkpoint_folder(test::kNanoFolder);
    ASSERT_TRUE(nano.ok());
    const auto written =
        convert::convert_to_gguf(convert::gguf_input(*nano), target(), convert::GgufRecipe::kExact, {});
    ASSERT_TRUE(written.ok()) << written.error().message;
    const auto model = convert::open_gguf_model(target(), draft());
    ASSERT_TRUE(model.ok()) << model.error().message;
    const auto packed = convert::convert_to_files(*model, folder_->file("nano.bolide"), {});
    ASSERT_TRUE(packed.ok()) << packed.error().message;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string target() { return folder_->file("nano.gguf"); }
  static std::string draft() { return convert::gguf_draft_path(target()); }
  static std::string packed() { return folder_->file("nano.bolide"); }

  static std::unique_ptr<test::TempFolder> folder_;
};
std::unique_ptr<test::TempFolder> GgufOfNano::folder_;

TEST_F(GgufOfNano, ReproducesTheA1GoldensDirectlyAndByWayOfAPackedFile) {
  const std::vector<u32> ids = test::golden_prompt("tool_call");
  const boost::json::value goldens = test::read_json(test::kNanoGoldens + "a1-tool_call.json");
  const auto& last = goldens.as_array().back().as_object();
  for (const bool direct : {true, false}) {
    const auto open =
        direct ? open_model(target(), ArithmeticKind::kA1, draft()) : open_model(packed(), ArithmeticKind::kA1);
    ASSERT_TRUE(open.ok()) << open.error().message;
    Timeline timeline(**open);
    const Result<Fingerprint> found = advance_to(timeline, ids, static_cast<u64>(last.at("tokens").as_int64()), false);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(to_hex(found->logits), std::string(last.at("logits").as_string()));
    EXPECT_EQ(to_hex(found->state), std::string(last.at("state").as_string()));
    ASSERT_TRUE(found->draft.has_value());
    EXPECT_EQ(to_hex(found->draft->logits), std::string(last.at("draft_logits").as_string()));
    EXPECT_EQ(to_hex(found->draft->state), std::string(last.at("draft_state").as_string()));
    EXPECT_EQ(found->draft->ids, test::ids_of(last.at("draft")));
  }
}

TEST_F(GgufOfNano, WithoutItsDrafterTheTargetAloneOpens) {
  const auto open = open_model(target(), ArithmeticKind::kA1);
  ASSERT_TRUE(open.ok()) << open.error().message;
  EXPECT_FALSE((*open)->model.weights.draft.has_value());
}

TEST_F(GgufOfNano, ItsTokenizerIsTheFoldersTokenizer) {
  const auto from_gguf = open_model(target(), ArithmeticKind::kA1);
  const auto from_folder = text::Tokenizer::from_file(test::kNanoFolder);
  ASSERT_TRUE(from_gguf.ok() && from_folder.ok());
  const text::Tokenizer& tokenizer = (*from_gguf)->tokenizer;
  ASSERT_EQ(tokenizer.vocab_size(), from_folder->vocab_size());
  for (u32 id = 0; id < tokenizer.vocab_size(); ++id) {
    ASSERT_EQ(tokenizer.token_bytes(id), from_folder->token_bytes(id)) << id;
    ASSERT_EQ(tokenizer.is_added(id), from_folder->is_added(id)) << id;
    ASSERT_EQ(tokenizer.is_special(id), from_folder->is_special(id)) << id;
  }
  const std::string text = "<｜User｜>Größe 12345, 東京 !foo\n\n<think></think> \xff  end";
  for (const auto added : {text::AddedTokens::kMatch, text::AddedTokens::kIgnore}) {
    EXPECT_EQ(tokenizer.encode(text, added), from_folder->encode(text, added));
  }
  EXPECT_TRUE(tokenizer.find_added_token("<｜Assistant｜>").has_value());
}

TEST_F(GgufOfNano, WhatCannotBeIsRefusedWithAdvice) {
  EXPECT_THAT(open_model(target(), ArithmeticKind::kRef).error().message, HasSubstr("not a GGUF"));
  EXPECT_THAT(open_model(test::kNanoFolder, ArithmeticKind::kRef, draft()).error().message, HasSubstr("is A1's"));
  EXPECT_THAT(open_model(packed(), ArithmeticKind::kA1, packed()).error().message, HasSubstr("not a drafter's file"));
  EXPECT_THAT(open_model(draft(), ArithmeticKind::kA1).error().message, HasSubstr("--draft-model"));
}

}  // namespace
}  // namespace bolide::engine
