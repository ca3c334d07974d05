#include "convert/synth_checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/partial_file.h"
#include "convert/parallel.h"
#include "convert/synth_making.h"
#include "convert/synth_rules.h"
#include "formats/safetensors_writer.h"

namespace bolide::convert {
namespace {

using formats::DType;
using formats::SafetensorsSpec;
using formats::SafetensorsWriter;
using model::CheckpointFormat;
using model::TensorSpec;

// One tensor of a shard.
struct Piece {
  SafetensorsSpec spec;
  NumberPlane plane;
};

struct Shard {
  std::string part;  // of the model that it holds: "layers.3", "layers.1.engram", "mtp.0", "embed", "head"
  std::vector<Piece> pieces;
};

// The official division: one shard a layer and a draft stage, others for the tables, the embedding, and head and norm.
std::string part_of(std::string_view name) {
  if (name == "norm.weight") return "head";
  if (name.find(".engram.embed.") != std::string_view::npos) return std::string(name.substr(0, name.find(".embed.")));
  const std::size_t dots = name.starts_with("layers.") || name.starts_with("mtp.") ? name.find('.') + 1 : 0;
  return std::string(name.substr(0, name.find('.', dots)));
}

class ShardList {
 public:
  void add(DType dtype, std::vector<u64> shape, NumberPlane plane) {
    const std::string part = part_of(plane.name);
    auto shard = std::ranges::find(shards_, part, &Shard::part);
    if (shard == shards_.end()) shard = shards_.insert(shards_.end(), Shard{part, {}});
    shard->pieces.push_back({{plane.name, dtype, std::move(shape)}, std::move(plane)});
  }
  std::vector<Shard> take() { return std::move(shards_); }

 private:
  std::vector<Shard> shards_;
};

void add_tensor(ShardList& shards, const TensorSpec& spec, u64 expert) {
  TensorPlanes planes = checkpoint_planes(spec, expert);
  const u64 rows = spec.packed.rows;
  const u64 columns = spec.packed.columns;
  std::vector<u64> shape = spec.dimensions == 1 ? std::vector<u64>{columns} : std::vector<u64>{rows, columns};
  switch (spec.checkpoint) {
    case CheckpointFormat::kBf16:
      return shards.add(DType::kBF16, std::move(shape), std::move(planes.codes));
    case CheckpointFormat::kF32:
      return shards.add(DType::kF32, std::move(shape), std::move(planes.codes));
    case CheckpointFormat::kFp8:
      shards.add(DType::kF8E4M3, std::move(shape), std::move(planes.codes));
      return shards.add(DType::kF8E8M0, {(rows + 31) / 32, (columns + 31) / 32}, *std::move(planes.scales));
    case CheckpointFormat::kFp4:
      shards.add(DType::kI8, {rows, columns / 2}, std::move(planes.codes));
      return shards.add(DType::kF8E8M0, {rows, columns / 32}, *std::move(planes.scales));
  }
}

std::vector<Shard> shards_of(const SynthPlan& plan) {
  ShardList shards;
  for (const TensorSpec& spec : plan.tensors) {
    for (u64 expert = 0; expert < spec.packed.experts; ++expert) add_tensor(shards, spec, expert);
  }
  const model::EngramConfig& engram = plan.config.engram;
  for (std::size_t i = 0; i < engram.layer_ids.size(); ++i) {
    TensorPlanes planes = engram_planes(engram.layer_ids[i], engram.rows[i], engram.head_dim);
    shards.add(DType::kF8E4M3, {engram.rows[i], engram.head_dim}, std::move(planes.codes));
    shards.add(DType::kF8E8M0, {engram.rows[i], engram.head_dim / 32}, *std::move(planes.scales));
  }
  return shards.take();
}

std::string shard_name(std::size_t shard, std::size_t n_shards) {
  return fmt::format("model-{:05}-of-{:05}.safetensors", shard + 1, n_shards);
}

std::string index_json(const std::vector<Shard>& shards, u64 total_bytes) {
  std::string map;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    for (const Piece& piece : shards[i].pieces) {
      map += fmt::format("{}\"{}\": \"{}\"", map.empty() ? "" : ",\n", piece.spec.name, shard_name(i, shards.size()));
    }
  }
  return fmt::format("{{\"metadata\": {{\"total_size\": {}}}, \"weight_map\": {{\n{}\n}}}}\n", total_bytes, map);
}

Status write_document(const std::string& path, std::string_view text) {
  Result<PartialFile> file = PartialFile::create(path, text.size());
  if (!file) return file.error();
  if (Status written = file->write_at(0, as_bytes(text)); !written) return written;
  return file->commit();
}

Status make_folder(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) return Error{fmt::format("{}: cannot make this folder: {}", path, code.message())};
  if (!std::filesystem::is_empty(path, code) || code) {
    return Error{fmt::format("{}: is not an empty folder; choose another name", path)};
  }
  return {};
}

// Makes every tensor of every shard; the tensors are independent tasks.
Status make_shards(const SynthPlan& plan, const std::vector<Shard>& shards, std::vector<SafetensorsWriter>& writers,
                   const SynthRun& run, u64 total_bytes) {
  struct Task {
    std::size_t shard;
    std::size_t piece;
  };
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    for (std::size_t k = 0; k < shards[i].pieces.size(); ++k) tasks.push_back({i, k});
  }
  MakingProgress progress(run, total_bytes);
  return run_tasks(tasks.size(), thread_count(run), [&](u64 i) {
    const auto& [shard, piece] = tasks[i];
    return make_plane(plan.options.seed, shards[shard].pieces[piece].plane, [&](Bytes bytes) {
      progress.add(bytes.size());
      return writers[shard].append(piece, bytes);
    });
  });
}

}  // namespace

Status synth_to_checkpoint(const SynthPlan& plan, const std::string& path, const SynthRun& run) {
  if (plan.options.experts_type != formats::WeightType::kMXFP4) {
    return Error{"the official checkpoint holds its experts as MXFP4; leave --experts-type out"};
  }
  if (Status made = make_folder(path); !made) return made;
  const std::vector<Shard> shards = shards_of(plan);
  std::vector<SafetensorsWriter> writers;
  u64 total_bytes = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    std::vector<SafetensorsSpec> specs;
    for (const Piece& piece : shards[i].pieces) specs.push_back(piece.spec);
    const std::string shard_path = fmt::format("{}/{}", path, shard_name(i, shards.size()));
    Result<SafetensorsWriter> writer = SafetensorsWriter::create(shard_path, specs);
    if (!writer) return writer.error();
    total_bytes += writer->payload_bytes();
    writers.push_back(*std::move(writer));
  }
  if (Status made = make_shards(plan, shards, writers, run, total_bytes); !made) return made;
  for (SafetensorsWriter& writer : writers) {
    if (Status finished = writer.finish(); !finished) return finished;
  }
  if (Status written = write_document(path + "/config.json", plan.documents.config); !written) return written;
  if (Status written = write_document(path + "/tokenizer.json", plan.documents.tokenizer); !written) return written;
  if (Status written = write_document(path + "/engram.json", plan.documents.engram); !written) return written;
  return write_document(path + "/model.safetensors.index.json", index_json(shards, total_bytes));
}

}  // namespace bolide::convert
