// REF against the golden values of nano, and proof that the bounds notice mistakes in formulas.
#include <utility>

#include "golden_errors.h"

#include "model/reference/reference_arithmetic.h"

namespace bolide::model {
namespace {

GoldenErrors errors_of(const Arithmetic& arithmetic, const std::string& prompt, u64 limit) {
  return GoldenComparison(nano_checkpoint(), arithmetic, prompt).run(limit);
}

// ---- The acceptance

class GoldenPrompt : public testing::TestWithParam<const char*> {};

TEST_P(GoldenPrompt, RefKeepsTheBounds) {
  const ReferenceArithmetic ref(nano_checkpoint().config, ReferenceMode::kRef);
  const GoldenErrors errors = errors_of(ref, GetParam(), kGoldenTokens);
  RecordProperty("errors", errors.text());
  fmt::print("REF, {}: {}\n", GetParam(), errors.text());
  EXPECT_LT(errors.mean_kl, kMaxMeanKl);
  EXPECT_GE(errors.confident_top1, kMinConfidentTop1);
  EXPECT_LT(std::fabs(errors.nll), kMaxNll);
  if (errors.guesses >= 100) {  // a prefix has too few for a share
    EXPECT_GE(errors.drafts, kMinDrafts);
  }
  EXPECT_EQ(errors.equal_steps, errors.confident_steps);
}

INSTANTIATE_TEST_SUITE_P(Nano, GoldenPrompt, testing::Values("short", "tool_call", "code1500"),
                         [](const auto& prompt) { return std::string(prompt.param); });

// ---- Seeded mistakes: REF with one formula changed. A prefix of the prompt that is hardest to predict suffices.

constexpr u64 kMistakeTokens = 64;

bool distributions_keep_bounds(const GoldenErrors& errors) {
  return errors.mean_kl < kMaxMeanKl && errors.confident_top1 >= kMinConfidentTop1 && std::fabs(errors.nll) < kMaxNll;
}

// What the bounds can see is no matter of memory, and slow under sanitizers.
class SeededMistakes : public testing::Test {
 protected:
  void SetUp() override {
    if (test::kSanitized) GTEST_SKIP() << "figures are the release build's business";
  }
};

void expect_noticed(const Arithmetic& mistaken, const char* mistake) {
  const GoldenErrors errors = errors_of(mistaken, "code1500", kMistakeTokens);
  EXPECT_FALSE(distributions_keep_bounds(errors)) << mistake << ": " << errors.text();
}

class Mistaken : public ReferenceArithmetic {
 public:
  Mistaken() : ReferenceArithmetic(nano_checkpoint().config, ReferenceMode::kRef) {}
};

// Stream a receives C[a][.] instead of C[.][a].
class TransposedCarry : public Mistaken {
 public:
  Mix mix(std::span<const float> h, const MixWeights& weights) const override {
    Mix mix = ReferenceArithmetic::mix(h, weights);
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < a; ++b) std::swap(mix.carry[4 * a + b], mix.carry[4 * b + a]);
    }
    return mix;
  }
};

class NoSink : public Mistaken {
 public:
  void attend(std::span<const float> q, std::span<const float> entries, std::span<const float> sink, float scale,
              std::span<float> o) const override {
    ReferenceArithmetic::attend(q, entries, std::vector<float>(sink.size(), -1e30f), scale, o);
  }
};

class NormWithoutWeight : public Mistaken {
 public:
  void norm(std::span<const float> x, std::span<const float> w, std::span<float> y) const override {
    ReferenceArithmetic::norm(x, std::vector<float>(w.size(), 1.0f), y);
  }
};

class EngramWithoutKeyWeight : public Mistaken {
 public:
  void engram_gate(std::span<float> h, std::span<const float> key, std::span<const float> value,
                   std::span<const float> q_weight, std::span<const float>) const override {
    ReferenceArithmetic::engram_gate(h, key, value, q_weight, std::vector<float>(h.size(), 1.0f));
  }
};

class OneRopeBaseForAllLayers : public Mistaken {
 public:
  RopeRow rope_row(RopeKind, u64 position) const override {
    return ReferenceArithmetic::rope_row(RopeKind::kPlain, position);
  }
};

TEST_F(SeededMistakes, WithoutAMistakeThePrefixKeepsTheBounds) {
  const ReferenceArithmetic ref(nano_checkpoint().config, ReferenceMode::kRef);
  const GoldenErrors errors = errors_of(ref, "code1500", kMistakeTokens);
  EXPECT_TRUE(distributions_keep_bounds(errors)) << errors.text();
}

TEST_F(SeededMistakes, FormulasChangedInOnePlaceAreNoticed) {
  expect_noticed(TransposedCarry(), "carry matrix transposed");
  expect_noticed(NoSink(), "no attention sink");
  expect_noticed(NormWithoutWeight(), "norms without weights");
  expect_noticed(EngramWithoutKeyWeight(), "Engram gate without key weights");
  expect_noticed(OneRopeBaseForAllLayers(), "one rope base");
}

TEST_F(SeededMistakes, WrongConstantsAreNoticed) {
  const auto with = [](auto change) {
    Config config = nano_checkpoint().config;
    change(config);
    return ReferenceArithmetic(config, ReferenceMode::kRef);
  };
  expect_noticed(with([](Config& c) { c.original_length = 0; }), "no YaRN");
  expect_noticed(with([](Config& c) { c.route_scale = 1.0f; }), "no route scale");
  expect_noticed(with([](Config& c) { c.hc_sinkhorn_iters = 1; }), "one Sinkhorn iteration");
}

}  // namespace
}  // namespace bolide::model
