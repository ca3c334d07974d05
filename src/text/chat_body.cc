#include "text/chat_body.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "text/field_path.h"

namespace bolide::text {
namespace {

struct RoleName {
  std::string_view name;
  Role role;
};
// developer: Codex writes its whole system prompt so. function: the tool role of older clients.
constexpr RoleName kRoles[] = {{"system", Role::kSystem},
                               {"developer", Role::kSystem},
                               {"user", Role::kUser},
                               {"assistant", Role::kAssistant},
                               {"tool", Role::kTool},
                               {"function", Role::kTool},
                               {"latest_reminder", Role::kLatestReminder}};

constexpr std::string_view kTasks[] = {"action", "query", "authority", "domain", "title", "read_url"};
constexpr std::string_view kTextTypes[] = {"text", "input_text", "output_text"};
constexpr std::string_view kImageTypes[] = {"image_url", "input_image", "image"};
constexpr std::string_view kReasoningKeys[] = {"reasoning_content", "reasoning", "reasoning_text"};

class BodyReader {
 public:
  explicit BodyReader(Json& body) : body_(body) {}

  Result<ChatRequest> read() {
    const FieldPath root;
    if (!body_.is_object()) return Error{"the request: an object with \"messages\" is wanted, not " + shown(body_)};
    Json* messages = fields_.array(body_, "messages", root);
    if (messages == nullptr || messages->items.empty()) {
      fields_.fail({root, "messages"}, "at least one message is wanted");
    } else {
      read_messages(*messages, FieldPath(root, "messages"));
    }
    request_.conversation.tools = tools_of(body_, root);
    read_response_format(root);
    read_effort_fields(root);
    if (const std::optional<bool> drop = fields_.boolean(body_, "drop_thinking", root)) {
      request_.options.drop_reasoning = *drop;
    }
    if (fields_.failed()) return fields_.error();
    return std::move(request_);
  }

 private:
  // --- messages ---

  void read_messages(Json& messages, const FieldPath& path) {
    request_.conversation.messages.reserve(messages.items.size());
    for (std::size_t i = 0; i < messages.items.size(); ++i) {
      const FieldPath place(path, i);
      if (!messages.items[i].is_object()) return fields_.fail(place, "an object is wanted");
      request_.conversation.messages.push_back(read_message(messages.items[i], place));
      if (fields_.failed()) return;
    }
    const std::optional<bool> prefix =
        fields_.boolean(messages.items.back(), "prefix", {path, messages.items.size() - 1});
    Message& last = request_.conversation.messages.back();
    if (prefix == true && last.role == Role::kAssistant) last.open_ended = true;
  }

  Message read_message(Json& json, const FieldPath& path) {
    Message message;
    message.role = read_role(json, path);
    message.content = content_of(json, path);
    message.tools = tools_of(json, path);
    if (const Json* format = fields_.object(json, "response_format", path)) message.response_format = *format;
    if (const Json* id = fields_.string(json, "tool_call_id", path)) message.tool_call_id = id->text;
    if (message.role == Role::kUser) message.task = task_of(json, path);
    if (message.role == Role::kAssistant) read_assistant(message, json, path);
    return message;
  }

  Role read_role(Json& json, const FieldPath& path) {
    const FieldPath place(path, "role");
    const Json* role = fields_.string(json, "role", path);
    const auto* known = role == nullptr ? std::end(kRoles) : std::ranges::find(kRoles, role->text, &RoleName::name);
    if (known != std::end(kRoles)) return known->role;
    const std::string found = role == nullptr ? "nothing" : shown(*role);
    fields_.fail(place, "one of system, developer, user, assistant, tool and latest_reminder is wanted, not " + found);
    return Role::kUser;
  }

  std::string task_of(Json& json, const FieldPath& path) {
    const Json* task = fields_.string(json, "task", path);
    if (task == nullptr) return "";
    if (std::ranges::find(kTasks, task->text) == std::end(kTasks)) {
      fields_.fail({path, "task"}, fmt::format("one of {} is wanted, not {}",
                                               "action, query, authority, domain, title and read_url", shown(*task)));
    }
    return task->text;
  }

  void read_assistant(Message& message, Json& json, const FieldPath& path) {
    for (const std::string_view key : kReasoningKeys) {
      Json* reasoning = FieldReader::any(json, key);
      // Other APIs keep settings and summaries under some of these names.
      if (reasoning != nullptr && reasoning->is_string() && message.reasoning.empty()) {
        message.reasoning = std::move(reasoning->text);
      }
    }
    if (Json* calls = fields_.array(json, "tool_calls", path)) {
      const FieldPath place(path, "tool_calls");
      for (std::size_t i = 0; i < calls->items.size(); ++i) {
        message.calls.push_back(read_call(calls->items[i], FieldPath(place, i)));
      }
    }
    if (Json* call = fields_.object(json, "function_call", path)) {  // of older clients
      message.calls.push_back(read_function(*call, "", FieldPath(path, "function_call")));
    }
    message.open_ended = fields_.boolean(json, "wo_eos", path).value_or(false);
  }

  ToolCall read_call(Json& json, const FieldPath& path) {
    if (!json.is_object()) return fields_.fail(path, "an object is wanted"), ToolCall{};
    const Json* name_space = fields_.string(json, "namespace", path);
    Json* function = fields_.object(json, "function", path);
    if (function == nullptr) return fields_.fail({path, "function"}, "an object is wanted"), ToolCall{};
    ToolCall call =
        read_function(*function, name_space == nullptr ? "" : name_space->text, FieldPath(path, "function"));
    if (Json* id = fields_.string(json, "id", path)) call.id = std::move(id->text);
    return call;
  }

  // A call's name and arguments.
  ToolCall read_function(Json& function, std::string_view name_space, const FieldPath& path) {
    ToolCall call;
    const Json* name = fields_.string(function, "name", path);
    if (name == nullptr || name->text.empty())
      return fields_.fail({path, "name"}, "the function's name is wanted"), call;
    if (const Json* own = fields_.string(function, "namespace", path); own != nullptr && name_space.empty()) {
      name_space = own->text;
    }
    // What the model may have written itself must not make its history unusable.
    Result<std::string> qualified = name_space.empty() ? name->text : qualified_name(name_space, name->text);
    if (!qualified) return fields_.fail({path, "name"}, qualified.error().message), call;
    call.name = std::move(*qualified);
    Json* arguments = function.find("arguments");
    call.arguments = parse_arguments(arguments == nullptr ? Json{} : std::move(*arguments));
    return call;
  }

  // --- content ---

  std::vector<ContentBlock> content_of(Json& json, const FieldPath& path) {
    if (Json* blocks = fields_.array(json, "content_blocks", path)) return blocks_of(*blocks, {path, "content_blocks"});
    Json* content = FieldReader::any(json, "content");
    if (content == nullptr) return {};
    return content_of_value(*content, FieldPath(path, "content"));
  }

  // A string or an array of parts.
  std::vector<ContentBlock> content_of_value(Json& content, const FieldPath& path) {
    if (content.is_array()) return blocks_of(content, path);
    if (!content.is_string()) {
      fields_.fail(path, "a string or an array of parts is wanted, not " + shown(content));
      return {};
    }
    return {ContentBlock{.text = std::move(content.text)}};
  }

  std::vector<ContentBlock> blocks_of(Json& parts, const FieldPath& path) {
    std::vector<ContentBlock> blocks;
    for (std::size_t i = 0; i < parts.items.size(); ++i) blocks.push_back(block_of(parts.items[i], FieldPath(path, i)));
    return blocks;
  }

  ContentBlock block_of(Json& part, const FieldPath& path) {
    if (part.is_string()) return {.text = std::move(part.text)};
    const Json* type = part.is_object() ? fields_.string(part, "type", path) : nullptr;
    if (type == nullptr) return fields_.fail(path, "a part with a \"type\" is wanted"), ContentBlock{};
    if (std::ranges::find(kTextTypes, type->text) != std::end(kTextTypes)) {
      Json* text = fields_.string(part, "text", path);
      if (text == nullptr) fields_.fail({path, "text"}, "a string is wanted");
      return {.text = text == nullptr ? "" : std::move(text->text)};
    }
    if (std::ranges::find(kImageTypes, type->text) != std::end(kImageTypes)) return image_of(part, path);
    if (type->text == "tool_result") return result_of(part, path);
    return {.kind = ContentBlock::Kind::kUnsupported, .text = type->text};
  }

  // {"image_url": {"url"}}, or the address itself.
  ContentBlock image_of(Json& part, const FieldPath& path) {
    ContentBlock block{.kind = ContentBlock::Kind::kImage};
    Json* image = FieldReader::any(part, "image_url");
    if (image == nullptr) return block;
    const FieldPath place(path, "image_url");
    Json* address = image->is_object() ? fields_.string(*image, "url", place) : image;
    if (address == nullptr || !address->is_string()) {
      fields_.fail(place, "an object with a \"url\" is wanted");
    } else {
      block.text = std::move(address->text);
    }
    return block;
  }

  ContentBlock result_of(Json& part, const FieldPath& path) {
    ContentBlock block{.kind = ContentBlock::Kind::kToolResult};
    if (const Json* id = fields_.string(part, "tool_use_id", path)) block.call_id = id->text;
    const FieldPath place(path, "content");
    Json* content = FieldReader::any(part, "content");
    if (content == nullptr) return block;
    // A result inside a result is no format of anyone's; it is not followed.
    for (Json& inner : content->items) {
      const Json* type = inner.find("type");
      if (type != nullptr && type->text == "tool_result") fields_.fail(place, "a tool_result inside a tool_result");
    }
    if (!fields_.failed()) block.parts = content_of_value(*content, place);
    return block;
  }

  // --- tools and response format ---

  std::vector<Json> tools_of(Json& json, const FieldPath& path) {
    std::vector<Json> tools;
    Json* list = fields_.array(json, "tools", path);
    if (list == nullptr) return tools;
    const FieldPath list_path(path, "tools");
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const FieldPath place(list_path, i);
      Json& tool = list->items[i];
      if (!tool.is_object()) return fields_.fail(place, "an object is wanted"), tools;
      const Json* type = fields_.string(tool, "type", place);
      if (type != nullptr && type->text != "function") continue;  // tools of the hosted API (pitfalls B14)
      Result<Json> function = read_tool(std::move(tool));
      if (!function) return fields_.fail(place, function.error().message), tools;
      tools.push_back(std::move(*function));
    }
    return tools;
  }

  // Section 3.8.
  void read_response_format(const FieldPath& root) {
    Json* format = fields_.object(body_, "response_format", root);
    if (format == nullptr) return;
    const FieldPath path(root, "response_format");
    const Json* type = fields_.string(*format, "type", path);
    if (type == nullptr || type->text == "text") {
      if (type == nullptr) fields_.fail({path, "type"}, "one of text, json_object and json_schema is wanted");
      return;
    }
    if (type->text == "json_object") {
      if (!asks_for_json()) request_.conversation.response_format = std::move(*format);
      return;
    }
    if (type->text != "json_schema") {
      return fields_.fail({path, "type"}, "one of text, json_object and json_schema is wanted, not " + shown(*type));
    }
    Json* outer = fields_.object(*format, "json_schema", path);
    Json* schema = outer == nullptr ? nullptr : FieldReader::any(*outer, "schema");
    if (schema == nullptr) return fields_.fail({path, "json_schema"}, "an object with a \"schema\" is wanted");
    request_.conversation.response_format = std::move(*schema);
  }

  // Whether the caller gave an instruction of his own, which OpenAI demands with json_object.
  bool asks_for_json() const {
    return std::ranges::any_of(request_.conversation.messages, [](const Message& message) {
      if (message.role != Role::kSystem && message.role != Role::kUser) return false;
      return std::ranges::any_of(message.content, [](const ContentBlock& block) {
        constexpr std::string_view kWord = "json";
        const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
        return block.kind == ContentBlock::Kind::kText &&
               std::ranges::search(block.text, kWord, same).begin() != block.text.end();
      });
    });
  }

  // --- thinking ---

  void read_effort_fields(const FieldPath& root) {
    EffortChoice choice;
    add_effort(choice, body_, "effort", root);
    add_effort(choice, body_, "reasoning_effort", root);
    read_thinking(choice, root);
    if (Json* settings = fields_.object(body_, "chat_template_kwargs", root)) {
      const FieldPath path(root, "chat_template_kwargs");
      add_effort(choice, *settings, "reasoning_effort", path);
      for (const std::string_view key : {"thinking", "enable_thinking"}) {
        if (const std::optional<bool> on = fields_.boolean(*settings, key, path)) choice.add_switch(*on);
      }
    }
    request_.options.effort = choice.effort().value_or(kDefaultEffort);
  }

  void add_effort(EffortChoice& choice, Json& object, std::string_view key, const FieldPath& of) {
    const Json* value = FieldReader::any(object, key);
    if (value == nullptr) return;
    if (const Status status = choice.add(*value); !status) {
      fields_.fail({of, key}, status.error().message + ", not " + shown(*value));
    }
  }

  // true, false, or an object with a type.
  void read_thinking(EffortChoice& choice, const FieldPath& root) {
    Json* thinking = FieldReader::any(body_, "thinking");
    if (thinking == nullptr) return;
    const FieldPath path(root, "thinking");
    if (thinking->is_bool()) return choice.add_switch(thinking->kind == Json::Kind::kTrue);
    if (!thinking->is_object())
      return fields_.fail(path, "an object with a \"type\" is wanted, not " + shown(*thinking));
    const Json* type = fields_.string(*thinking, "type", path);
    if (type != nullptr && type->text != "enabled" && type->text != "disabled" && type->text != "adaptive") {
      fields_.fail({path, "type"}, "one of enabled, disabled and adaptive is wanted, not " + shown(*type));
    }
    if (type != nullptr) choice.add_switch(type->text != "disabled");
    if (const Json* budget = FieldReader::any(*thinking, "budget_tokens")) {
      const std::optional<i64> tokens = budget->as_integer();
      if (!tokens || *tokens < 0) {
        return fields_.fail({path, "budget_tokens"}, "a whole number from 0 is wanted, not " + shown(*budget));
      }
      request_.reasoning_budget = static_cast<u64>(*tokens);
    }
  }

  Json& body_;
  FieldReader fields_;
  ChatRequest request_;
};

}  // namespace

Result<ChatRequest> read_chat_body(Json body) {
  return BodyReader(body).read();
}

Result<ChatRequest> parse_chat_body(std::string_view json) {
  Result<Json> body = parse_json_text(json, "the request");
  if (!body) return body.error();
  return read_chat_body(std::move(*body));
}

}  // namespace bolide::text
