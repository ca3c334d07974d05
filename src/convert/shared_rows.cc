#include "convert/shared_rows.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/mapped_file.h"
#include "convert/file_names.h"
#include "engram/table_sources.h"
#include "formats/gguf_file.h"
#include "model/engram_shape.h"
#include "model/gguf_names.h"

namespace bolide::convert {
namespace {

constexpr u64 kCompared = 64;  // rows of each table

Result<formats::EngramFile> rows_in_gguf(const std::string& path, const model::EngramConfig& config) {
  const Result<formats::GgufFile> gguf = formats::GgufFile::open(path);
  if (!gguf) return gguf.error();
  formats::EngramFile rows;
  for (const u32 layer : config.layer_ids) {
    const std::string name = model::gguf_engram_name(layer);
    const formats::GgufTensor* tensor = gguf->find(name);
    if (tensor == nullptr || tensor->type != formats::GgufType::kI8 || tensor->dimensions.size() != 2) {
      return Error{fmt::format("{}: there are no Engram rows {} in it", path, name)};
    }
    const std::string& file = gguf->files()[tensor->part].path();
    if (!rows.path.empty() && rows.path != file) {
      return Error{fmt::format("{}: its Engram tables lie in several parts; join them first", path)};
    }
    rows.path = file;
    rows.tables.push_back({.spec = {.layer = layer, .rows = tensor->dimensions[1], .row_bytes = tensor->dimensions[0]},
                           .offset = tensor->file_offset});
  }
  return rows;
}

// Rows all over the table must be the source's own: their shapes would agree for another training of the model, too.
Status compare_rows(const formats::EngramTable& table, const MappedFile& file, const EngramTableRows& own) {
  const EngramTableRows shared =
      joined_rows(own.layer, own.n_codes, {.file = &file, .offset = table.offset, .bytes = table.bytes()});
  for (u64 i = 0; i < std::min(kCompared, own.rows); ++i) {
    const u64 row = own.rows * i / kCompared;
    const auto theirs = read_engram_row(shared, row);
    if (!theirs) return theirs.error();
    const auto ours = read_engram_row(own, row);
    if (!ours) return ours.error();
    if (*ours == *theirs) continue;
    return Error{
        fmt::format("{}: row {} of the Engram table of layer {} is not the source's: it belongs to another model",
                    file.path(), row, own.layer)};
  }
  return {};
}

}  // namespace

Result<formats::EngramFile> find_shared_rows(const std::string& path, const model::Config& config,
                                             const std::vector<EngramTableRows>& own) {
  if (config.engram.layer_ids.empty()) return Error{"the model has no Engram tables, so there are no rows to share"};
  Result<formats::EngramFile> rows =
      path.ends_with(kGgufExtension) ? rows_in_gguf(path, config.engram) : formats::open_engram_file(path);
  if (!rows) return rows;
  if (const auto fit = engram::table_sources(*rows, model::engram_shape(config)); !fit) return fit.error();
  const Result<MappedFile> file = MappedFile::open(rows->path);
  if (!file) return file.error();
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i].codes.file->is_gone()) continue;
    if (Status same = compare_rows(rows->tables[i], *file, own[i]); !same) return same.error();
  }
  return rows;
}

}  // namespace bolide::convert
