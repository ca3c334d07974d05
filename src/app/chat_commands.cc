#include "app/chat_commands.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <span>

namespace bolide::app {
namespace {

struct Command {
  std::string_view name;
  std::string_view argument;
  std::string_view help;
  std::string (*run)(std::string_view argument, ChatState& state);
};

std::span<const Command> commands();

std::string usage(std::string_view name) {
  const auto command = std::ranges::find(commands(), name, &Command::name);
  return fmt::format("Usage: {} {} ({})", command->name, command->argument, command->help);
}

// The whole of `text` as a number.
template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string help(std::string_view, ChatState&) {
  std::string text;
  for (const Command& command : commands()) {
    text += fmt::format("{:<14} {}\n", fmt::format("{} {}", command.name, command.argument), command.help);
  }
  return text +
         "Ctrl+C         stops an answer (what was written of it is kept); clears the line\n"
         "Ctrl+D         leaves\n"
         "Alt+Enter      begins a new line of the question (or \\ and Enter); a paste may have many";
}

std::string begin_new(std::string_view, ChatState& state) {
  state.dialogue.clear();
  state.totals.context_used = 0;
  return "A new conversation.";
}

std::string set_system(std::string_view argument, ChatState& state) {
  state.dialogue.set_system(std::string(argument));
  begin_new({}, state);
  return argument.empty() ? "No system text any more; a new conversation."
                          : "A new conversation with this system text.";
}

std::string set_thinking(std::string_view argument, ChatState& state) {
  const std::optional<int> effort = number<int>(argument);
  if (!effort || *effort < 0 || *effort > 100) return usage("/think");
  state.settings.effort = *effort;
  return *effort == 0 ? "The model answers without thinking." : fmt::format("Thinking effort {} of 100.", *effort);
}

std::string set_temperature(std::string_view argument, ChatState& state) {
  const std::optional<float> temperature = number<float>(argument);
  session::Sampling sampling;
  if (temperature) sampling.temperature = *temperature;
  if (!temperature || !session::check_sampling(sampling)) return usage("/temp");
  state.settings.temperature = *temperature;
  return *temperature == 0 ? "Always the likeliest token." : fmt::format("Temperature {}.", *temperature);
}

std::string set_seed(std::string_view argument, ChatState& state) {
  if (argument.empty()) {
    state.settings.seed.reset();
    return "A new seed for each answer.";
  }
  const std::optional<u64> seed = number<u64>(argument);
  if (!seed) return usage("/seed");
  state.settings.seed = seed;
  return fmt::format("Seed {}.", *seed);
}

std::string statistics(std::string_view, ChatState& state) {
  const ChatTotals& totals = state.totals;
  const AnswerSettings& settings = state.settings;
  const auto rate = [](u64 tokens, double seconds) {
    return seconds > 0 ? static_cast<double>(tokens) / seconds : 0.0;
  };
  return fmt::format(
      "answers        {}: {} tokens, {:.0f} tokens/s\n"
      "prompts        {} tokens, {} of them reused, the others at {:.0f} tokens/s\n"
      "context        {} of {} tokens\n"
      "settings       thinking {}, temperature {}, top-p {}, seed {}",
      totals.answers, totals.new_tokens, rate(totals.new_tokens, totals.decode_seconds), totals.prompt_tokens,
      totals.reused_tokens, rate(totals.prompt_tokens - totals.reused_tokens, totals.prefill_seconds),
      totals.context_used, state.context, settings.effort, settings.temperature, settings.top_p,
      settings.seed ? fmt::format("{}", *settings.seed) : "drawn for each answer");
}

std::string leave(std::string_view, ChatState& state) {
  state.leaving = true;
  return {};
}

std::span<const Command> commands() {
  static constexpr Command kCommands[] = {
      {"/help", "", "shows this list", help},
      {"/new", "", "begins a new conversation", begin_new},
      {"/system", "TEXT", "tells the model how to behave; begins a new conversation", set_system},
      {"/think", "N", "how much the model thinks: 1 to 100, 0 = not at all", set_thinking},
      {"/temp", "X", "temperature: 0 = always the likeliest token, 1 = as the model itself draws", set_temperature},
      {"/seed", "[N]", "the same seed gives the same answers; without N they vary", set_seed},
      {"/stats", "", "tokens, speed and settings", statistics},
      {"/quit", "", "leaves", leave},
  };
  return kCommands;
}

// Other names that people try.
std::string_view main_name(std::string_view name) {
  if (name == "/clear" || name == "/reset") return "/new";
  if (name == "/exit" || name == "/bye") return "/quit";
  return name;
}

bool is_letter(char byte) {
  return byte >= 'a' && byte <= 'z';
}

bool looks_like_command(std::string_view line, std::string_view word) {
  return word.size() > 1 && word[0] == '/' && std::ranges::all_of(word.substr(1), is_letter) &&
         line.find('\n') == std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

}  // namespace

void ChatTotals::add(const engine::RequestStatistics& answer) {
  ++answers;
  new_tokens += answer.new_tokens;
  prompt_tokens += answer.prompt_tokens;
  reused_tokens += answer.reused_tokens;
  prefill_seconds += answer.prefill_seconds;
  decode_seconds += answer.decode_seconds;
  context_used = answer.prompt_tokens + answer.new_tokens;
}

std::optional<std::string> run_chat_command(std::string_view line, ChatState& state) {
  const std::string_view word = line.substr(0, line.find(' '));
  if (!looks_like_command(line, word)) return std::nullopt;
  const auto command = std::ranges::find(commands(), main_name(word), &Command::name);
  if (command == commands().end()) {
    return fmt::format("There is no command {}; /help lists them. A blank before it sends it to the model.", word);
  }
  return command->run(trim(line.substr(word.size())), state);
}

}  // namespace bolide::app
