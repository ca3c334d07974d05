#include "app/vector_replay.h"

#include <fmt/format.h>
#include <map>

#include "app/vector_line.h"
#include "arith/f16.h"
#include "arith/functions.h"
#include "arith/host_functions.h"
#include "arith/quantize.h"
#include "arith/quantizers.h"
#include "arith/reductions.h"
#include "base/flush_mode.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "formats/packed_layout.h"
#include "model/block.h"
#include "model/index_score.h"
#include "model/oracle/mechanisms.h"
#include "model/rope.h"
#include "model/selection.h"
#include "model/state_layout.h"
#include "session/noise.h"

namespace bolide::app {
namespace {

namespace oracle = model::oracle;
using model::MatrixType;

template <class F, class T>
auto map(const std::vector<T>& values, F function) {
  std::vector<decltype(function(values[0]))> result;
  for (const T& value : values) result.push_back(function(value));
  return result;
}

std::span<const float> part(const std::vector<float>& values, std::size_t index, std::size_t width) {
  return std::span(values).subspan(index * width, width);
}

// ---- number formats and quantizers

void replay_bf16(VectorLine& line) {
  line.expect("y", map(line.floats("x"), [](float x) { return arith::bf16(x); }));
}

void replay_f16(VectorLine& line) {
  const std::vector<u16> codes = map(line.floats("x"), [](float x) { return arith::f16_code(x); });
  line.expect("code", codes);
  line.expect("back", map(codes, [](u16 code) { return arith::f16_value(code); }));
}

void replay_e4m3(VectorLine& line) {
  line.expect("code", map(line.floats("x"), [](float x) { return arith::e4m3_code(x); }));
}
void replay_e2m1(VectorLine& line) {
  line.expect("code", map(line.floats("x"), [](float x) { return arith::e2m1_code(x); }));
}
void replay_weight_load(VectorLine& line) {
  line.expect("y", map(line.floats("x"), [](float x) { return arith::flush_tiny(x); }));
}

template <class Group>
void expect_group(VectorLine& line, const Group& group, float scale, float (*value)(u8, float)) {
  line.expect("code", std::span<const u8>(group.codes));
  line.expect_integer("scale", group.scale);
  std::vector<float> y;
  for (const u8 code : group.codes) y.push_back(value(code, scale));
  line.expect("y", y);
}

void replay_q8(VectorLine& line) {
  const std::vector<float> x = line.floats("x");
  if (!line.need(x.size() == 32, "32 values are expected")) return;
  const arith::Q8Group group = arith::quantize_q8(std::span<const float, 32>(x));
  expect_group(line, group, arith::e8m0_value(group.scale), arith::q8_value);
}

void replay_q4i(VectorLine& line) {
  const std::vector<float> x = line.floats("x");
  if (!line.need(x.size() == 32, "32 values are expected")) return;
  const arith::Q4iGroup group = arith::quantize_q4i(std::span<const float, 32>(x));
  expect_group(line, group, arith::e8m0_value(group.scale), arith::q4_value);
}

void replay_q4k(VectorLine& line) {
  const std::vector<float> x = line.floats("x");
  if (!line.need(x.size() == 16, "16 values are expected")) return;
  const arith::Q4kGroup group = arith::quantize_q4k(std::span<const float, 16>(x));
  expect_group(line, group, arith::e4m3_value(group.scale), arith::q4_value);
}

void replay_quantize32(VectorLine& line) {
  const std::vector<float> x = line.floats("x");
  if (!line.need(x.size() == 32, "32 values are expected")) return;
  const arith::QuantizedActivations quantized = arith::quantize_activations(x);
  line.expect("q", map(quantized.q, [](i8 q) { return static_cast<u8>(q); }));
  line.expect("d", quantized.d);
}

void replay_q8_0_from_e4m3(VectorLine& line) {
  const std::vector<u8> codes = line.bytes("code");
  const u64 scale = line.integer("scale");
  if (!line.need(codes.size() == 32, "32 codes are expected")) return;
  std::array<double, 32> w;
  for (std::size_t i = 0; i < 32; ++i) {
    w[i] = std::ldexp(static_cast<double>(arith::e4m3_value(codes[i])), static_cast<int>(scale) - 127);
  }
  arith::Q8_0Block block;
  if (!line.need(arith::quantize_q8_0(w, block), "the block's scale overflows F16")) return;
  line.expect("d", std::span<const u16>(&block.d, 1));
  std::vector<u8> q;
  for (const i8 value : block.q) q.push_back(static_cast<u8>(value));
  line.expect("q", q);
}

// ---- matrix products

// A packed matrix of one row (padded to a tile) from its blocks.
struct OneRow {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  model::Matrix matrix(MatrixType type, u32 blocks) const { return {type, 1, 32 * blocks, codes, scales}; }
};

void expect_product(VectorLine& line, const OneRow& row, MatrixType type, u32 blocks, const std::vector<float>& x) {
  float y = 0;
  oracle::product(row.matrix(type, blocks), 0, arith::quantize_activations(x), std::span(&y, 1));
  line.expect("y", std::span<const float>(&y, 1));
}

void replay_dot_q8_0(VectorLine& line) {
  const u32 blocks = static_cast<u32>(line.integer("blocks"));
  const std::vector<float> x = line.floats("x");
  const std::vector<u8> w = line.bytes("w");
  const std::vector<u16> d = line.halves("d");
  if (!line.need(x.size() == 32 * u64{blocks} && w.size() == x.size() && d.size() == blocks, "unequal lengths")) return;
  OneRow row{std::vector<std::byte>(u64{blocks} * 32 * 32), std::vector<std::byte>(u64{blocks} * 32 * 2)};
  for (u32 b = 0; b < blocks; ++b) {
    std::memcpy(&row.codes[formats::tile_offset(0, b, blocks, 32)], &w[u64{b} * 32], 32);
    store(&row.scales[formats::tile_offset(0, b, blocks, 2)], d[b]);
  }
  expect_product(line, row, MatrixType::kQ8_0, blocks, x);
}

void replay_dot_mxfp4(VectorLine& line) {
  const u32 blocks = static_cast<u32>(line.integer("blocks"));
  const std::vector<float> x = line.floats("x");
  const std::vector<u8> codes = line.bytes("code");
  const std::vector<u8> scales = line.bytes("scale");
  if (!line.need(x.size() == 32 * u64{blocks} && codes.size() == x.size() && scales.size() == blocks,
                 "unequal lengths"))
    return;
  OneRow row{std::vector<std::byte>(u64{blocks} * 16 * 32), std::vector<std::byte>(u64{blocks} * 32)};
  for (u32 b = 0; b < blocks; ++b) {
    for (u32 i = 0; i < 16; ++i) {
      const u8* pair = &codes[u64{b} * 32 + 2 * i];
      row.codes[formats::tile_offset(0, b, blocks, 16) + i] = static_cast<std::byte>(pair[0] | (pair[1] << 4));
    }
    row.scales[formats::tile_offset(0, b, blocks, 1)] = static_cast<std::byte>(scales[b]);
  }
  expect_product(line, row, MatrixType::kMxfp4, blocks, x);
}

// Sub-block j (0..7) of a 144-byte Q4_K block as the packed layout has it (design: arithmetic.md rule 2).
void store_q4_k_sub_block(const u8* block, u32 j, std::byte* codes, std::byte* small) {
  const u8* packed = block + 4;
  const bool low = j < 4;
  const u32 scale = low ? packed[j] & 63u : (packed[j + 4] & 15u) | ((packed[j - 4] >> 6) << 4);
  const u32 minimum = low ? packed[j + 4] & 63u : (packed[j + 4] >> 4) | ((packed[j] >> 6) << 4);
  small[0] = static_cast<std::byte>(scale);
  small[1] = static_cast<std::byte>(minimum);
  const u8* nibbles = block + 16 + 32 * (j / 2);
  const u32 shift = 4 * (j % 2);
  for (u32 i = 0; i < 16; ++i) {
    const u32 even = (nibbles[2 * i] >> shift) & 15u;
    const u32 odd = (nibbles[2 * i + 1] >> shift) & 15u;
    codes[i] = static_cast<std::byte>(even | (odd << 4));
  }
}

void replay_dot_q4_k(VectorLine& line) {
  const u32 blocks = static_cast<u32>(line.integer("blocks"));
  const std::vector<float> x = line.floats("x");
  const std::vector<u8> w = line.bytes("w");
  const u32 super_blocks = blocks / 8;
  if (!line.need(blocks % 8 == 0 && x.size() == 32 * u64{blocks} && w.size() == u64{144} * super_blocks,
                 "unequal lengths"))
    return;
  const u64 block_scales = u64{super_blocks} * 32 * 4;
  OneRow row{std::vector<std::byte>(u64{blocks} * 16 * 32),
             std::vector<std::byte>(block_scales + u64{blocks} * 32 * 2)};
  for (u32 b = 0; b < blocks; ++b) {
    const u8* block = &w[u64{144} * (b / 8)];
    std::memcpy(&row.scales[formats::tile_offset(0, b / 8, super_blocks, 4)], block, 4);
    store_q4_k_sub_block(block, b % 8, &row.codes[formats::tile_offset(0, b, blocks, 16)],
                         &row.scales[block_scales + formats::tile_offset(0, b, blocks, 2)]);
  }
  expect_product(line, row, MatrixType::kQ4K, blocks, x);
}

void replay_dot_float(VectorLine& line) {
  const std::vector<float> x = line.floats("x");
  const std::vector<float> w = map(line.floats("w"), [](float value) { return arith::flush_tiny(value); });
  if (!line.need(x.size() == w.size() && x.size() % 32 == 0, "unequal lengths, or no whole blocks of 32")) return;
  const float y = oracle::float_dot(w, x);
  line.expect("y", std::span<const float>(&y, 1));
}

// ---- reductions, norms and functions

void replay_sum(VectorLine& line) {
  const std::vector<float> x = line.floats("x");
  const float sum = arith::ordered_sum(x);
  const float squares = arith::ordered_sum_of_squares(x);
  line.expect("sum", std::span<const float>(&sum, 1));
  line.expect("squares", std::span<const float>(&squares, 1));
}

void replay_rms(VectorLine& line) {
  const std::vector<float> x = line.floats("x");
  const std::vector<float> w = line.floats("w");
  if (!line.need(x.size() == w.size() && !x.empty(), "unequal lengths")) return;
  std::vector<float> y(x.size());
  oracle::norm(x, w, 1e-20f, y);
  line.expect("y", y);
}

void replay_exp(VectorLine& line) {
  line.expect("y", map(line.floats("x"), [](float x) { return arith::exp(x); }));
}
void replay_log1p(VectorLine& line) {
  line.expect("y", map(line.floats("x"), [](float x) { return arith::log1p(x); }));
}
void replay_rsqrt(VectorLine& line) {
  line.expect("y", map(line.floats("x"), [](float x) { return arith::rsqrt(x); }));
}

void replay_activations(VectorLine& line) {
  const std::vector<float> x = line.floats("x");
  line.expect("sigmoid", map(x, [](float v) { return arith::sigmoid(v); }));
  line.expect("silu", map(x, [](float v) { return arith::silu(v); }));
  line.expect("softplus", map(x, [](float v) { return arith::softplus(v); }));
  line.expect("sqrtsoftplus", map(x, [](float v) { return dialect::sqrt(arith::softplus(v)); }));
}

// ---- positions

std::array<float, 32> read_frequencies(double base, double original) {
  return arith::rope_frequencies(base, {16, 32, 1, original});
}

// Rope lines use the frequencies of the line before them.
struct Frequencies {
  std::array<float, 32> values{};
};

void replay_frequencies(VectorLine& line, Frequencies& frequencies) {
  frequencies.values =
      read_frequencies(static_cast<double>(line.integer("base")), static_cast<double>(line.integer("original")));
  line.expect("f", std::span<const float>(frequencies.values));
}

void replay_rope(VectorLine& line, const Frequencies& frequencies) {
  const model::RopeRow row = oracle::rope_row(frequencies.values, line.integer("position"));
  line.expect("cos", std::span<const float>(row.cos));
  line.expect("sin", std::span<const float>(row.sin));
  std::vector<float> x = line.floats("x");
  if (!line.need(x.size() == model::kRopeDim, "64 values are expected")) return;
  std::vector<float> inverse = x;
  model::rotate(x, row);
  model::rotate_back(inverse, row);
  line.expect("y", x);
  line.expect("inverse", inverse);
}

// ---- mechanisms

void replay_pool2(VectorLine& line) {
  const std::vector<float> k0 = line.floats("k0"), g0 = line.floats("g0"), k1 = line.floats("k1"),
                           g1 = line.floats("g1");
  if (!line.need(k0.size() == g0.size() && k1.size() == g1.size() && k0.size() == k1.size(), "unequal lengths")) return;
  std::vector<float> sum;
  for (std::size_t i = 0; i < k0.size(); ++i) sum.push_back(oracle::pool_pair(k0[i], g0[i], k1[i], g1[i]));
  line.expect("sum", sum);
  line.expect("y", map(sum, [](float x) { return arith::bf16(x); }));
}

void replay_top_k(VectorLine& line) {
  line.expect_integers("rows", model::top_k(line.floats("score"), static_cast<u32>(line.integer("k"))));
}

void replay_mix(VectorLine& line) {
  const std::vector<float> m = line.floats("m"), scale = line.floats("scale"), base = line.floats("base");
  if (!line.need(m.size() == 24 && scale.size() == 3 && base.size() == 24, "24, 3 and 24 values are expected")) return;
  const model::Mix mix = oracle::sinkhorn(std::span<const float, 24>(m), scale, base, 20, 1e-6f);
  line.expect("pre", std::span<const float>(mix.pre));
  line.expect("post", std::span<const float>(mix.post));
  line.expect("C", std::span<const float>(mix.carry));
}

void replay_streams(VectorLine& line) {
  const std::vector<float> h = line.floats("h"), pre = line.floats("pre"), y = line.floats("y"),
                           post = line.floats("post"), carry = line.floats("C");
  if (!line.need(pre.size() == 4 && post.size() == 4 && carry.size() == 16 && h.size() == 4 * y.size(),
                 "unequal lengths"))
    return;
  model::Streams streams(y);
  streams.h = h;
  std::copy(pre.begin(), pre.end(), streams.pre.begin());
  line.expect("collapsed", model::collapse(streams));
  model::Mix mix;
  std::copy(pre.begin(), pre.end(), mix.pre.begin());
  std::copy(post.begin(), post.end(), mix.post.begin());
  std::copy(carry.begin(), carry.end(), mix.carry.begin());
  model::expand(mix, y, streams);
  line.expect("expanded", streams.h);
}

void replay_attend(VectorLine& line) {
  const std::vector<float> q = line.floats("q"), kv = line.floats("kv");
  const float sink = line.scalar("sink"), scale = line.scalar("scale");
  const u64 entries = line.integer("entries");
  if (!line.need(entries > 0 && !q.empty() && kv.size() == entries * q.size(), "unequal lengths")) return;
  std::vector<float> o(q.size());
  oracle::attend_head(q, kv, sink, scale, o);
  line.expect("o", o);
}

void replay_index_score(VectorLine& line) {
  const u64 heads = line.integer("heads");
  const std::vector<float> values = line.floats("q_then_key"), w = line.floats("w");
  if (!line.need(w.size() == heads && values.size() == (heads + 1) * model::kIndexHeadDim, "unequal lengths")) return;
  const std::span<const float> q_then_key(values);
  const model::IndexQuery query(q_then_key.first(heads * model::kIndexHeadDim), w);
  std::array<std::byte, model::kIndexRowBytes> key;
  model::encode_index_row(q_then_key.last<model::kIndexHeadDim>(), key);
  const float sum = query.sum(key);
  line.expect("sum", std::span<const float>(&sum, 1));
  line.expect("score", query.scores(key));
}

void replay_route(VectorLine& line) {
  const std::vector<float> logits = line.floats("logits"), bias = line.floats("bias");
  if (!line.need(logits.size() == bias.size() && logits.size() >= 6, "unequal lengths, or fewer than 6 experts"))
    return;
  std::vector<u32> experts;
  std::vector<float> weights;
  for (const model::RoutedExpert& routed : oracle::route(logits, bias, 6, 1.5f)) {
    experts.push_back(routed.expert);
    weights.push_back(routed.weight);
  }
  line.expect_integers("experts", experts);
  line.expect("weights", weights);
}

void replay_engram_gate(VectorLine& line) {
  std::vector<float> h = line.floats("h");
  const std::vector<float> key = line.floats("key"), value = line.floats("value"), qw = line.floats("qw"),
                           kw = line.floats("kw");
  const std::size_t n = h.size();
  if (!line.need(n > 0 && key.size() == n && value.size() == n && qw.size() == n && kw.size() == n, "unequal lengths"))
    return;
  const float d = oracle::engram_match(h, key, qw, kw, 1e-20f);
  line.expect("d", std::span<const float>(&d, 1));
  oracle::engram_add(d, value, h);
  line.expect("y", h);
}

void replay_mixture(VectorLine& line) {
  const std::vector<float> experts = line.floats("experts"), shared = line.floats("shared");
  const std::size_t n = shared.size();
  if (!line.need(n > 0 && experts.size() % n == 0, "unequal lengths")) return;
  std::vector<std::vector<float>> outputs;
  for (std::size_t e = 0; e < experts.size() / n; ++e) {
    const std::span<const float> output = part(experts, e, n);
    outputs.emplace_back(output.begin(), output.end());
  }
  outputs.push_back(shared);
  line.expect("y", model::sum_experts(outputs));
}

void replay_swiglu(VectorLine& line) {
  const std::vector<float> gate = line.floats("gate"), up = line.floats("up");
  const float weight = line.scalar("weight");
  if (!line.need(gate.size() == up.size(), "unequal lengths")) return;
  std::vector<float> y;
  for (std::size_t i = 0; i < gate.size(); ++i) y.push_back(oracle::swiglu(gate[i], up[i], weight, 10.0f));
  line.expect("y", y);
}

// Entries whose token is ffffffff, which is none, test the noise of the given word alone.
void replay_gumbel(VectorLine& line) {
  const std::vector<u64> seeds = line.longs("seed"), positions = line.longs("position");
  const std::vector<u32> tokens = line.words("token");
  std::vector<u32> words = line.words("word");
  const std::size_t n = words.size();
  if (!line.need(seeds.size() == n && positions.size() == n && tokens.size() == n, "unequal lengths")) return;
  for (std::size_t i = 0; i < n; ++i) {
    if (tokens[i] != 0xffffffff) words[i] = session::random_word(seeds[i], positions[i], tokens[i]);
  }
  line.expect("word", words);
  line.expect("noise", map(words, [](u32 word) { return arith::gumbel(word); }));
}

using Replay = void (*)(VectorLine&);

const std::map<std::string, Replay>& replays() {
  static const std::map<std::string, Replay> table = {
      {"bf16", replay_bf16},
      {"f16", replay_f16},
      {"e4m3", replay_e4m3},
      {"e2m1", replay_e2m1},
      {"weight_load", replay_weight_load},
      {"Q8", replay_q8},
      {"Q4i", replay_q4i},
      {"Q4k", replay_q4k},
      {"quantize32", replay_quantize32},
      {"q8_0_from_e4m3", replay_q8_0_from_e4m3},
      {"dot_q8_0", replay_dot_q8_0},
      {"dot_mxfp4", replay_dot_mxfp4},
      {"dot_q4_k", replay_dot_q4_k},
      {"dot_float", replay_dot_float},
      {"sum", replay_sum},
      {"rms", replay_rms},
      {"exp", replay_exp},
      {"log1p", replay_log1p},
      {"rsqrt", replay_rsqrt},
      {"activations", replay_activations},
      {"pool2", replay_pool2},
      {"top_k", replay_top_k},
      {"mix", replay_mix},
      {"streams", replay_streams},
      {"attend", replay_attend},
      {"index_score", replay_index_score},
      {"route", replay_route},
      {"engram_gate", replay_engram_gate},
      {"mixture", replay_mixture},
      {"swiglu", replay_swiglu},
      {"gumbel", replay_gumbel},
  };
  return table;
}

Status replay_line(std::string_view text, const std::string& place, Frequencies& frequencies) {
  Result<boost::json::value> parsed = parse_json(text, place);
  if (!parsed) return parsed.error();
  if (!parsed->is_object()) return Error{place + ": a JSON object is expected"};
  VectorLine line(std::move(parsed->get_object()), place);
  if (line.op() == "frequencies") {
    replay_frequencies(line, frequencies);
  } else if (line.op() == "rope") {
    replay_rope(line, frequencies);
  } else if (const auto found = replays().find(line.op()); found != replays().end()) {
    found->second(line);
  } else {
    line.fail("an unknown operation");
  }
  return line.status();
}

Result<u64> replay_all(std::string_view text, const std::string& path) {
  Frequencies frequencies;
  u64 number = 0;
  u64 lines = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (Status status = replay_line(line, fmt::format("{} line {}", path, number), frequencies); !status)
      return status.error();
    ++lines;
  }
  if (lines == 0) return Error{path + ": there is no test vector in this file"};
  return lines;
}

}  // namespace

Result<u64> replay_vectors(const std::string& path) {
  constexpr u64 kLimitBytes = u64{1} << 30;
  Result<std::string> text = read_text_file(path, kLimitBytes);
  if (!text) return text.error();
  const FlushMode keeping(false);
  if (Result<u64> lines = replay_all(*text, path); !lines) return lines;
  const FlushMode flushing(true);
  Result<u64> lines = replay_all(*text, path);
  if (!lines) return Error{lines.error().message + " (with subnormals flushed)"};
  return lines;
}

}  // namespace bolide::app
