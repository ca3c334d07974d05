// What a step asks of a backend, as data. A plan is a list of operations in order; each names what it reads and writes
// by buffer, never by address, so that it can be printed, counted, and replayed (design: interfaces.md, Ops, plan,
// backends). What an operation computes is the sequence of A1's plain steps that its line below names; a backend may
// fuse as it likes, the bits are the same.
//
// To add an operation: its line here and in ops.cc, where the plan emits it (plan/), and in each backend.
#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "model/config.h"

namespace bolide::ops {

enum class OpKind : u8 {
  kEmbed,          // kStreams = four copies of the token's embedding
  kMatvecQ,        // out = bf16(W in), W quantized; `in` holds quantized rows (arithmetic.md rule 2)
  kMatvecF,        // out = W in, binary32, W float (rule 3)
  kQuantize,       // out = in, rounded to int8 per 32 values
  kEngramGate,     // kStreams += gate * value per stream, from kEngramProjected (spec model.md 3.2)
  kTap,            // kTaps = mean of the streams (spec dspark.md 1.4)
  kHcMix,          // kMix = the mHC coefficients of a sub-block, from kStreams and W (spec 3.3)
  kHcEnter,        // kInput = norm of the streams collapsed with the mix that the sub-block before left; quantized, too
  kQNormQuantize,  // kLowRank = norm of itself; quantized, too (spec 3.4)
  kQueryRope,      // kQuery rotated
  kWindowRow,      // the session's window row = Q8 of the rotated norm of kWindowInput (spec 3.4)
  kCompress,    // pools kLatent by kGate where the ratio is 2; kLatent = norm; the session's compressed row (spec 3.5)
  kIndexKey,    // the session's index row = Q4i of the rotated norm of kIndexKeyInput
  kIndexQuery,  // kIndexQuery = its rotated Q4i; kIndexWeights scaled (spec 3.6)
  kIndexScore,  // kScores of the visible rows, inside the candidate blocks where the layer applies them
  kCandidateBlocks,  // kBlocks = the best blocks of kScores
  kSelectRows,       // kSelected = the best rows of kScores
  kAttention,        // kAttended from kQuery, window rows and selected rows (spec 3.7)
  kAttentionOut,     // kAttended rotated back; quantized
  kHcExpand,         // kStreams = post * kOutput + carry * kStreams (spec 3.3)
  kRoute,            // kExperts = the used experts and their weights, from kRouterLogits (spec 3.9)
  kExpertGateUp,     // kHidden = weight * silu(gate) * up of the used experts and the shared one; quantized
  kExpertDown,       // kOutput = sum of the experts' outputs in their order, the shared one last (rule 7)
  kFinalNorm,        // kFinal = norm of the collapsed streams; quantized
  kLogits,           // kLogits, binary32
  kTopCandidates,    // kTop = maximum, S of rule 8 and the best (value, id)
};

std::string_view name(OpKind kind);

// Where rows of a step live between operations: [rows of the step][width]. Quantized rows stand beside the plain ones
// of the same name.
enum class Buffer : u8 {
  kNothing,
  kTokens,
  kStreams,
  kTaps,
  kMix,
  kInput,
  kEngramRows,
  kEngramProjected,
  kLowRank,
  kQuery,
  kWindowInput,
  kLatent,
  kGate,
  kIndexKeyInput,
  kIndexQuery,
  kIndexWeights,
  kScores,
  kBlocks,
  kSelected,
  kAttended,
  kGroups,
  kOutput,
  kRouterLogits,
  kExperts,
  kHidden,
  kFinal,
  kLogits,
  kTop,
  kSession,  // not a row of the step: pages of the session, appended to
};

std::string_view name(Buffer buffer);

// Weights by their role in a block; the names of the files are in model/tensors.h.
enum class Weight : u8 {
  kNone,
  kEmbedding,
  kEngramProjection,
  kEngramGate,
  kAttentionMix,
  kAttentionNorm,
  kQueryDown,
  kQueryNorm,
  kQueryUp,
  kWindow,
  kWindowNorm,
  kCompressor,
  kCompressorGate,
  kCompressorNorm,
  kIndexKey,
  kIndexKeyNorm,
  kIndexQuery,
  kIndexWeights,
  kSinks,
  kGroups,
  kAttentionOutput,
  kMixtureMix,
  kMixtureNorm,
  kRouter,
  kRouterBias,
  kExperts,  // gate and up, or down: of the used experts and the shared one
  kFinalNorm,
  kHead,
};

std::string_view name(Weight weight);

// Rows [first, end) of a step.
struct RowRange {
  u32 first = 0;
  u32 end = 0;
  u32 count() const { return end - first; }
};

// What an operation costs, as far as it does not depend on the context's length.
struct Cost {
  u64 weight_bytes = 0;  // read once, however many rows
  u64 integer_operations = 0;
  u64 float_operations = 0;  // a multiplication and an addition are two
};

struct Op {
  OpKind kind = OpKind::kEmbed;
  Weight weight = Weight::kNone;
  u32 layer = model::kNone;  // kNone: before the first layer or behind the last
  RowRange rows;
  std::array<Buffer, 2> in = {};
  Buffer out = Buffer::kNothing;
  u32 place = 0;  // number of the device
  Cost cost;
};

// Depends on the configuration, the number of rows and which of them each layer runs; never on positions, addresses or
// the length of the context.
struct Plan {
  u32 rows = 0;
  std::vector<Op> ops;
};

}  // namespace bolide::ops
