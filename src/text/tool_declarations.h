// What the parser must know of a request's tools.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "text/json.h"

namespace bolide::text {

class ToolDeclarations {
 public:
  ToolDeclarations() = default;
  // Of function objects with qualified names (text/message.h, read_tool()).
  explicit ToolDeclarations(const std::vector<Json>& tools);

  bool empty() const { return string_parameters_.empty(); }
  bool contains(std::string_view qualified_name) const;
  // Whether the schema says that this parameter is a string and nothing else.
  bool is_string(std::string_view qualified_name, std::string_view parameter) const;

 private:
  std::unordered_map<std::string, std::unordered_set<std::string>> string_parameters_;
};

}  // namespace bolide::text
