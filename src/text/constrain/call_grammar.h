// Tool calls in the form of the prompt format (prompt-format.md 3.7, 8.6) to a grammar: declared names, declared keys
// in the schema's order, the string flag by the schema's types, JSON values by the schema, string values free but for
// enums.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "text/constrain/json_rules.h"
#include "text/constrain/json_schema.h"
#include "text/json.h"

namespace bolide::text {

// "<｜DSML｜ calls>" as grammars see it.
std::string calls_opener();

// The rule of what follows the opener, up to the end of the block. `tools`: function objects with qualified names
// (text/message.h, read_tool()), at least one. `one`: exactly one call instead of any number.
Result<GrammarRule> compile_calls(Grammar& grammar, const JsonRules& json, const std::vector<Json>& tools, bool one,
                                  UnsupportedSchema unsupported, std::vector<std::string>* free);

}  // namespace bolide::text
