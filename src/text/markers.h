// The words of the prompt format, byte for byte (prompt-format.md section 1). The bars are U+FF5C, the blocks U+2581.
#pragma once
#include <string_view>

namespace bolide::text {

// Each of these is one token.
constexpr std::string_view kBeginOfPrompt = "<｜begin▁of▁sentence｜>";
constexpr std::string_view kEndOfAnswer = "<｜end▁of▁sentence｜>";
constexpr std::string_view kSystemMarker = "<｜System｜>";
constexpr std::string_view kUserMarker = "<｜User｜>";
constexpr std::string_view kAssistantMarker = "<｜Assistant｜>";
constexpr std::string_view kLatestReminderMarker = "<｜latest_reminder｜>";
constexpr std::string_view kThink = "<think>";
constexpr std::string_view kEndThink = "</think>";
constexpr std::string_view kImageMarker = "<｜deepseek_image｜>";

// Ordinary text.
constexpr std::string_view kToolResultTag = "<tool_result>";
constexpr std::string_view kEndToolResultTag = "</tool_result>";
// How the end of a tool result is written inside one.
constexpr std::string_view kEscapedEndToolResultTag = "&lt;/tool_result>";

// Tool calls: ｜DSML｜ is one token, the rest ordinary text.
constexpr std::string_view kCalls = "<｜DSML｜ calls>";
constexpr std::string_view kEndCalls = "</｜DSML｜ calls>";
constexpr std::string_view kInvoke = "<｜DSML｜ invoke name=\"";
constexpr std::string_view kEndInvoke = "</｜DSML｜ invoke>";
constexpr std::string_view kParameter = "<｜DSML｜ parameter name=\"";
constexpr std::string_view kEndParameter = "</｜DSML｜ parameter>";
// How the end of a parameter is written inside a string value.
constexpr std::string_view kEscapedEndParameter = "&lt;/｜DSML｜ parameter>";

}  // namespace bolide::text
