#include "text/tools_block.h"

namespace bolide::text {
namespace {

constexpr std::string_view kBeforeSchemas = R"(## Tools

You have access to a set of tools to help answer the user's question. You can invoke tools by writing a "<｜DSML｜ calls>" block like the following:

<｜DSML｜ calls>
<｜DSML｜ invoke name="$TOOL_NAME">
<｜DSML｜ parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜ parameter>
...
</｜DSML｜ invoke>
<｜DSML｜ invoke name="$TOOL_NAME2">
...
</｜DSML｜ invoke>
</｜DSML｜ calls>

String parameters should be specified as is and set `string="true"`. For all other types (numbers, booleans, arrays, objects), pass the value in JSON format and set `string="false"`.

If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside <think>...</think> BEFORE any tool calls or final response.

Otherwise, output directly after </think> with tool calls or final response.

### Available Tool Schemas

)";

constexpr std::string_view kAfterSchemas = R"(

You MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.
)";

constexpr std::string_view kBeforeResponseFormat =
    "## Response Format:\n\nYou MUST strictly adhere to the following schema to reply:\n";

}  // namespace

void add_tools_block(PromptBuilder& prompt, const std::vector<Json>& tools) {
  prompt.scaffold(kBeforeSchemas);
  for (const Json& tool : tools) {
    if (&tool != &tools.front()) prompt.caller_text("\n");
    prompt.caller_text(dump_json(tool));
  }
  prompt.scaffold(kAfterSchemas);
}

void add_response_format(PromptBuilder& prompt, const Json& schema) {
  prompt.scaffold(kBeforeResponseFormat);
  prompt.caller_text(dump_json(schema));
}

}  // namespace bolide::text
