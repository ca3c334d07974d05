#include "text/message.h"

#include <fmt/format.h>

namespace bolide::text {
namespace {

constexpr std::string_view kQualifier = "::";

std::string string_of(const Json* value) {
  return value != nullptr && value->is_string() ? value->text : "";
}

// A namespace is a string or {"name", "description"?}, on the tool or on its function object.
struct Namespace {
  std::string name;
  std::string description;
};

Result<Namespace> read_namespace(const Json* value) {
  if (value == nullptr || value->is_null()) return Namespace{};
  if (value->is_string()) return Namespace{value->text, ""};
  if (value->is_object()) {
    Namespace found{string_of(value->find("name")), string_of(value->find("description"))};
    if (!found.name.empty()) return found;
  }
  return Error{"the namespace is to be a name or an object with a name"};
}

Result<Namespace> find_namespace(const Json& tool, const Json& function) {
  Result<Namespace> outer = read_namespace(tool.find("namespace"));
  if (!outer) return outer;
  Result<Namespace> inner = read_namespace(function.find("namespace"));
  if (!inner || outer->name.empty()) return inner;
  if (!inner->name.empty() && inner->name != outer->name) {
    return Error{"the tool and its function name different namespaces"};
  }
  if (outer->description.empty()) outer->description = inner->description;
  return outer;
}

// The function object of a tool that is written flat; null if it has no name.
Json built_function(const Json& tool) {
  Json function;
  if (tool.find("name") == nullptr) return function;
  function.kind = Json::Kind::kObject;
  for (const std::string_view key : {"name", "description", "parameters", "input_schema"}) {
    const Json* value = tool.find(key);
    if (value == nullptr) continue;
    function.members.push_back({std::string(key == "input_schema" ? "parameters" : key), *value});
  }
  return function;
}

// Names stand in quotes, and nothing in a call is escaped.
Status check_name(std::string_view name) {
  if (name.empty()) return Error{"a function needs a name"};
  if (name.find_first_of("\"<>\n") != std::string_view::npos) {
    return Error{"a function's name must hold no quote, no angle bracket and no line end"};
  }
  return {};
}

}  // namespace

Json parse_arguments(Json received) {
  Json value = std::move(received);
  for (int encodings = 0; encodings < 2 && value.is_string(); ++encodings) {
    if (value.text.find_first_not_of(" \t\r\n") == std::string::npos) value = {};
    Result<Json> inner = parse_json_text(value.text, "arguments");
    if (!inner) break;
    value = std::move(*inner);
  }
  if (value.is_null()) value.kind = Json::Kind::kObject;
  return value;
}

Result<std::string> qualified_name(std::string_view name_space, std::string_view name) {
  const std::size_t qualifier = name.find(kQualifier);
  if (qualifier == std::string_view::npos) {
    if (name_space.empty()) return std::string(name);
    return fmt::format("{}{}{}", name_space, kQualifier, name);
  }
  if (name.find(kQualifier, qualifier + kQualifier.size()) != std::string_view::npos) {
    return Error{"a name may hold '::' once"};
  }
  if (!name_space.empty() && name.substr(0, qualifier) != name_space) {
    return Error{"the name is qualified by another namespace than the one given"};
  }
  return std::string(name);
}

ToolName split_name(std::string_view qualified) {
  const std::size_t qualifier = qualified.find(kQualifier);
  const std::size_t end = qualifier + kQualifier.size();
  if (qualifier == 0 || qualifier == std::string_view::npos || end == qualified.size() ||
      qualified.find(kQualifier, end) != std::string_view::npos) {
    return {"", std::string(qualified)};
  }
  return {std::string(qualified.substr(0, qualifier)), std::string(qualified.substr(end))};
}

Result<Json> read_tool(Json tool) {
  Json built = built_function(tool);
  Json* function = tool.find("function");
  if (function == nullptr && built.is_object()) function = &built;
  if (function == nullptr || !function->is_object()) return Error{"a tool needs the object \"function\""};
  Json* name = function->find("name");
  if (name == nullptr || !name->is_string()) return Error{"a function needs a name"};
  const Result<Namespace> name_space = find_namespace(tool, *function);
  if (!name_space) return name_space.error();
  Result<std::string> qualified = qualified_name(name_space->name, name->text);
  if (!qualified) return qualified.error();
  if (const Status status = check_name(*qualified); !status) return status.error();
  name->text = std::move(*qualified);
  std::erase_if(function->members, [](const JsonMember& member) { return member.key == "namespace"; });
  if (!name_space->description.empty()) {
    if (Json* description = function->find("description"); description != nullptr && description->is_string()) {
      description->text = name_space->description + "\n" + description->text;
    } else {
      function->members.push_back({"description", Json::string(name_space->description)});
    }
  }
  return std::move(*function);
}

}  // namespace bolide::text
