#include "formats/json_walk.h"

#include <boost/json/basic_parser_impl.hpp>
#include <exception>
#include <fmt/format.h>
#include <unordered_set>
#include <utility>
#include <vector>

#include "formats/names.h"

namespace bolide::formats {
namespace {

using boost::json::error_code;

// The events of Boost.JSON's parser, passed on with their path. A `false` ends the parse; why() says what was wrong.
class Events {
 public:
  static constexpr std::size_t max_array_size = 1'000'000;  // the names are the parser's
  static constexpr std::size_t max_object_size = 1'000'000;
  static constexpr std::size_t max_string_size = 1 << 20;
  static constexpr std::size_t max_key_size = 256;

  explicit Events(JsonVisitor& visitor) : visitor_(&visitor) {}

  const std::string& why() const { return why_; }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }

  bool on_object_begin(error_code& code) {
    if (!passed(visitor_->begin_object(path_), code)) return false;
    open_.emplace_back(Container{.is_object = true, .keys = {}});
    return true;
  }
  bool on_array_begin(error_code& code) {
    if (!passed(visitor_->begin_array(path_), code)) return false;
    open_.emplace_back(Container{.is_object = false, .keys = {}});
    return true;
  }
  bool on_object_end(std::size_t, error_code&) { return container_end(); }
  bool on_array_end(std::size_t, error_code&) { return container_end(); }

  bool on_key_part(boost::json::string_view part, std::size_t, error_code&) { return collect(part); }
  bool on_key(boost::json::string_view part, std::size_t, error_code& code) {
    collect(part);
    if (!open_.back().keys.insert(collected_).second) {
      return passed(Error{fmt::format("the key \"{}\" is there twice", printable(collected_))}, code);
    }
    path_.push_back(std::exchange(collected_, {}));
    return true;
  }
  bool on_string_part(boost::json::string_view part, std::size_t, error_code&) { return collect(part); }
  bool on_string(boost::json::string_view part, std::size_t, error_code& code) {
    collect(part);
    return value(visitor_->text(path_, std::exchange(collected_, {})), code);
  }

  bool on_number_part(boost::json::string_view, error_code&) { return true; }
  bool on_int64(i64 number, boost::json::string_view, error_code& code) {
    if (number < 0) return value(visitor_->other(path_, "a negative number"), code);
    return value(visitor_->number(path_, static_cast<u64>(number)), code);
  }
  bool on_uint64(u64 number, boost::json::string_view, error_code& code) {
    return value(visitor_->number(path_, number), code);
  }
  bool on_double(double, boost::json::string_view, error_code& code) {
    return value(visitor_->other(path_, "a number that is not whole or not below 2^64"), code);
  }
  bool on_bool(bool, error_code& code) { return value(visitor_->other(path_, "a truth value"), code); }
  bool on_null(error_code& code) { return value(visitor_->other(path_, "null"), code); }
  bool on_comment_part(boost::json::string_view, error_code&) { return true; }
  bool on_comment(boost::json::string_view, error_code&) { return true; }

 private:
  struct Container {
    bool is_object;
    std::unordered_set<std::string> keys;  // of an object, so far
  };

  bool collect(boost::json::string_view part) {
    collected_.append(part.data(), part.size());
    return true;
  }
  bool container_end() {
    open_.pop_back();
    value_end();
    return true;
  }
  bool value(const Status& status, error_code& code) {
    if (!passed(status, code)) return false;
    value_end();
    return true;
  }
  void value_end() {
    if (!open_.empty() && open_.back().is_object) path_.pop_back();
  }
  bool passed(const Status& status, error_code& code) {
    if (status.ok()) return true;
    why_ = status.error().message;
    code = boost::json::error::exception;  // any code will do: why() speaks
    return false;
  }

  JsonVisitor* visitor_;
  std::vector<std::string> path_;
  std::vector<Container> open_;
  std::string collected_;  // of the key or string being read
  std::string why_;
};

}  // namespace

Status JsonVisitor::begin_object(JsonPath path) {
  return unexpected(path, "an object");
}
Status JsonVisitor::begin_array(JsonPath path) {
  return unexpected(path, "an array");
}
Status JsonVisitor::text(JsonPath path, std::string_view) {
  return unexpected(path, "a string");
}
Status JsonVisitor::number(JsonPath path, u64) {
  return unexpected(path, "a number");
}
Status JsonVisitor::other(JsonPath path, std::string_view kind) {
  return unexpected(path, kind);
}

Error JsonVisitor::unexpected(JsonPath path, std::string_view kind) {
  if (path.empty()) return {fmt::format("unexpected {} at the outermost level", kind)};
  std::string place;
  for (const std::string& key : path) place += fmt::format("{}\"{}\"", place.empty() ? "" : " > ", printable(key));
  return {fmt::format("unexpected {} at {}", kind, place)};
}

Status walk_json(std::string_view text, std::string_view what, JsonVisitor& visitor) {
  constexpr std::size_t kMaxDepth = 8;
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  error_code code;
  try {
    boost::json::basic_parser<Events> parser(options, visitor);
    const std::size_t read = parser.write_some(false, text.data(), text.size(), code);
    if (!parser.handler().why().empty()) return Error{fmt::format("{}: {}", what, parser.handler().why())};
    if (!code && read < text.size()) code = boost::json::error::extra_data;
    if (code) return Error{fmt::format("{}: not valid JSON after {} bytes: {}", what, read, code.message())};
    return {};
  } catch (const std::exception& failure) {  // the library's, or out of memory
    return Error{fmt::format("{}: cannot be read as JSON: {}", what, failure.what())};
  }
}

}  // namespace bolide::formats
