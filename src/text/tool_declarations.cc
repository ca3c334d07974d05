#include "text/tool_declarations.h"

namespace bolide::text {

ToolDeclarations::ToolDeclarations(const std::vector<Json>& tools) {
  for (const Json& tool : tools) {
    const Json* name = tool.find("name");
    if (name == nullptr) continue;
    std::unordered_set<std::string>& strings = string_parameters_[name->text];
    const Json* parameters = tool.find("parameters");
    const Json* properties = parameters == nullptr ? nullptr : parameters->find("properties");
    if (properties == nullptr) continue;
    for (const JsonMember& property : properties->members) {
      const Json* type = property.value.find("type");
      if (type != nullptr && type->text == "string") strings.insert(property.key);
    }
  }
}

bool ToolDeclarations::contains(std::string_view qualified_name) const {
  return string_parameters_.contains(std::string(qualified_name));
}

bool ToolDeclarations::is_string(std::string_view qualified_name, std::string_view parameter) const {
  const auto tool = string_parameters_.find(std::string(qualified_name));
  return tool != string_parameters_.end() && tool->second.contains(std::string(parameter));
}

}  // namespace bolide::text
