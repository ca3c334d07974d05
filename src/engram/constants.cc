#include "engram/constants.h"

#include <boost/json/object.hpp>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "base/json.h"

namespace bolide::engram {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

std::optional<u64> whole_number(const value& v) {
  if (const auto* positive = v.if_uint64()) return *positive;
  if (const auto* number = v.if_int64(); number != nullptr && *number >= 0) return static_cast<u64>(*number);
  return std::nullopt;
}

// Reads the fields of one engram.json; the first error stays.
class ConstantsReader {
 public:
  ConstantsReader(const object& root, std::string_view what) : root_(root), what_(what) {}

  const std::optional<Error>& error() const { return error_; }

  template <class... Args>
  void fail(std::string_view field, fmt::format_string<Args...> format, Args&&... args) {
    if (error_) return;
    error_ = Error{fmt::format("{}: {} {}", what_, field, fmt::format(format, std::forward<Args>(args)...))};
  }

  // The field's number, which must be `wanted`.
  void expect(std::string_view field, u64 wanted) {
    const value* found = root_.if_contains(field);
    const std::optional<u64> number = found == nullptr ? std::nullopt : whole_number(*found);
    if (!number) return fail(field, "must be a whole number");
    if (*number != wanted) fail(field, "is {}, but the configuration wants {}", *number, wanted);
  }

  // The elements of a field that is an array of `n`.
  const array* list(std::string_view field, std::size_t n) {
    const value* found = root_.if_contains(field);
    if (found == nullptr) return fail(field, "is missing"), nullptr;
    return elements(field, *found, n);
  }

  // The elements of `v`, part of `field`, which must be an array of `n`.
  const array* elements(std::string_view field, const value& v, std::size_t n) {
    const array* found = v.if_array();
    if (found == nullptr) return fail(field, "must be an array of {} elements", n), nullptr;
    if (found->size() != n) return fail(field, "has {} elements instead of {}", found->size(), n), nullptr;
    return found;
  }

 private:
  const object& root_;
  std::string_view what_;
  std::optional<Error> error_;
};

void read_token_map(ConstantsReader& in, const EngramShape& shape, EngramConstants& constants) {
  const array* ids = in.list("token_map", shape.vocab_size);
  if (ids == nullptr) return;
  constants.token_map.reserve(ids->size());
  for (const value& v : *ids) {
    const std::optional<u64> id = whole_number(v);
    if (!id || *id >= shape.compressed_vocab_size) {
      return in.fail("token_map", "of token {} must be a whole number below {}", constants.token_map.size(),
                     shape.compressed_vocab_size);
    }
    constants.token_map.push_back(static_cast<u32>(*id));
  }
}

// Multipliers need all of 64 bits, more than a JSON number holds everywhere, so they are decimal strings.
void read_multipliers(ConstantsReader& in, const EngramShape& shape, const value& list, TableConstants& table) {
  const array* numbers = in.elements("multipliers", list, shape.max_ngram);
  if (numbers == nullptr) return;
  for (const value& v : *numbers) {
    const auto* text = v.if_string();
    u64 number = 0;
    if (text == nullptr) return in.fail("multipliers", "must be decimal numbers in quotes");
    const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (code != std::errc() || end != text->data() + text->size() || number == 0) {
      return in.fail("multipliers", "must be decimal numbers in quotes, from 1 to 2^64 - 1");
    }
    table.multipliers.push_back(number);
  }
}

// The primes of one table, [n-gram][head]; their sum is the number of its rows.
void read_primes(ConstantsReader& in, const EngramShape& shape, const value& list, TableConstants& table) {
  const array* ngrams = in.elements("primes", list, shape.max_ngram - 1);
  if (ngrams == nullptr) return;
  u64 first_row = 0;
  for (const value& ngram : *ngrams) {
    const array* heads = in.elements("primes", ngram, shape.n_heads);
    if (heads == nullptr) return;
    for (const value& v : *heads) {
      const std::optional<u64> prime = whole_number(v);
      if (!prime || *prime == 0) return in.fail("primes", "must be whole numbers above 0");
      if (*prime > table.rows - first_row) {
        return in.fail("primes", "have a sum above the {} rows of their table", table.rows);
      }
      table.primes.push_back(*prime);
      table.first_rows.push_back(first_row);
      first_row += *prime;
    }
  }
  if (first_row != table.rows) {
    in.fail("primes", "have the sum {}, but their table has {} rows", first_row, table.rows);
  }
}

void read_tables(ConstantsReader& in, const EngramShape& shape, EngramConstants& constants) {
  const std::size_t n = shape.layer_ids.size();
  const array* rows = in.list("rows", n);
  const array* primes = in.list("primes", n);
  const array* multipliers = in.list("multipliers", n);
  if (in.error()) return;
  for (std::size_t i = 0; i < n; ++i) {
    TableConstants table;
    table.rows = shape.rows[i];
    const std::optional<u64> found = whole_number((*rows)[i]);
    if (!found || *found != table.rows) {
      return in.fail("rows", "of layer {} must be {}, as in the configuration", shape.layer_ids[i], table.rows);
    }
    read_multipliers(in, shape, (*multipliers)[i], table);
    read_primes(in, shape, (*primes)[i], table);
    constants.tables.push_back(std::move(table));
  }
}

}  // namespace

Result<EngramConstants> parse_engram_constants(std::string_view json, std::string_view what, const EngramShape& shape) {
  check(shape.rows.size() == shape.layer_ids.size() && shape.max_ngram >= 2, "the configuration was validated");
  const Result<value> parsed = parse_json(json, what, 8);
  if (!parsed) return parsed.error();
  const object* root = parsed->if_object();
  if (root == nullptr) return Error{fmt::format("{}: a JSON object is expected", what)};
  ConstantsReader in(*root, what);
  EngramConstants constants;
  constants.compressed_vocab_size = shape.compressed_vocab_size;
  constants.pad_id = shape.pad_id;
  in.expect("compressed_vocab_size", shape.compressed_vocab_size);
  in.expect("pad_id", shape.pad_id);
  if (shape.pad_id >= shape.vocab_size) in.fail("pad_id", "{} is not in the vocabulary", shape.pad_id);
  if (!in.error()) read_token_map(in, shape, constants);
  if (!in.error()) in.expect("compressed_pad_id", constants.compressed_pad_id = constants.token_map[shape.pad_id]);
  if (!in.error()) read_tables(in, shape, constants);
  if (in.error()) return *in.error();
  return constants;
}

}  // namespace bolide::engram
