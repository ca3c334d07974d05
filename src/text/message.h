// What a conversation is to us, whichever API it came through (prompt-format.md section 2).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/json.h"

namespace bolide::text {

enum class Role { kSystem, kUser, kAssistant, kTool, kLatestReminder };

// A part of what a message says.
struct ContentBlock {
  enum class Kind { kText, kImage, kToolResult, kUnsupported };

  Kind kind = Kind::kText;
  std::string text;                 // kText; kImage: its address; kUnsupported: the name of its type
  std::string call_id;              // kToolResult: the call that it answers
  std::vector<ContentBlock> parts;  // kToolResult: what it says, no results inside
};

// A call in the history. `arguments` holds the object, or what came in its place (see parse_arguments()).
struct ToolCall {
  std::string id;
  std::string name;  // as the model sees it: qualified by the namespace
  Json arguments;
};

struct Message {
  Role role = Role::kUser;
  std::vector<ContentBlock> content;
  std::string tool_call_id;             // of a tool message: the call that it answers
  std::string reasoning;                // of an assistant: what it thought before the content
  std::vector<ToolCall> calls;          // of an assistant
  bool open_ended = false;              // of an assistant: no end token after it, the model goes on writing
  std::string task;                     // of a user: the name of a quick instruction (section 3.3), mostly none
  std::vector<Json> tools;              // function objects as the prompt prints them, see read_tool()
  std::optional<Json> response_format;  // of a system message: the schema that the prompt prints

  static Message of(Role role, std::string text) {
    Message message;
    message.role = role;
    message.content.push_back({.kind = ContentBlock::Kind::kText, .text = std::move(text)});
    return message;
  }
};

struct Conversation {
  std::vector<Message> messages;
  // Of the whole request. They are printed with the first message if it is a system message, else with an empty one
  // put before it.
  std::vector<Json> tools;
  std::optional<Json> response_format;
};

// The arguments of a call from what an API holds: a JSON text, such a text encoded once more, or the value itself.
// Nothing is refused (pitfalls B13): what gives no object stays the value that it is, a broken text a string. No
// arguments (null or a blank text) are an empty object.
Json parse_arguments(Json received);

// A tool's function object as the prompt prints it: the name qualified by the namespace, whose description is put
// before the tool's own (section 3.6). `tool` is the wrapper {"type", "function", "namespace"?}, or flat as other APIs
// have it: of {"name", "description", "parameters" or "input_schema"} an object is built (section 3.5). An error if a
// name is missing, cannot be written in a call, or disagrees with the namespace; it does not name the tool's place.
Result<Json> read_tool(Json tool);

// The name of a function or call with its namespace, as the model sees it: "weather::forecast". An error if the name
// is qualified otherwise already.
Result<std::string> qualified_name(std::string_view name_space, std::string_view name);

// A qualified name taken apart. A name that is not of the form a::b has no namespace.
struct ToolName {
  std::string name_space;
  std::string name;
};
ToolName split_name(std::string_view qualified);

}  // namespace bolide::text
