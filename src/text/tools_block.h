// How the prompt tells the model its tools and the form of its answer (prompt-format.md sections 3.5 and 3.8).
#pragma once
#include <string_view>
#include <vector>

#include "text/json.h"
#include "text/prompt_builder.h"

namespace bolide::text {

// The tools block. Its constant text holds <think>, </think> and ｜DSML｜ as the tokens that they are, as the reference
// does; the schemas are the caller's text.
void add_tools_block(PromptBuilder& prompt, const std::vector<Json>& tools);

void add_response_format(PromptBuilder& prompt, const Json& schema);

}  // namespace bolide::text
