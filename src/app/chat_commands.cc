#include "app/chat_commands.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <span>

#include "app/chat_file_commands.h"

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

std::string questions(std::size_t count) {
  return fmt::format("{} question{}", count, count == 1 ? "" : "s");
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
  state.attached.clear();
  return "A new conversation.";
}

std::string set_system(std::string_view argument, ChatState& state) {
  if (argument.empty()) {
    const std::string& system = state.dialogue.system();
    return system.empty() ? "There is no system text. " + usage("/system") : "The system text: " + system;
  }
  state.dialogue.set_system(argument == "-" ? std::string() : std::string(argument));
  begin_new({}, state);
  return argument == "-" ? "No system text any more; a new conversation." : "A new conversation with this system text.";
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
  if (!temperature) return usage("/temp");
  if (const Status status = session::check_sampling(sampling); !status) {
    return fmt::format("{}. {}", status.error().message, usage("/temp"));
  }
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

std::string rewind(std::string_view argument, ChatState& state) {
  const std::optional<u64> count = argument.empty() ? std::optional<u64>(1) : number<u64>(argument);
  if (!count || *count == 0) return usage("/rewind");
  const std::size_t before = state.dialogue.exchanges().size();
  if (before == 0) return "There is no question yet.";
  state.dialogue.rewind(*count);
  state.totals.context_used = 0;
  const std::size_t left = state.dialogue.exchanges().size();
  return fmt::format("{} forgotten, {} left; the up key brings questions back.", questions(before - left), left);
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
      "conversation   {}, {} of {} tokens\n"
      "settings       thinking {}, temperature {}, top-p {}, seed {}",
      totals.answers, totals.new_tokens, rate(totals.new_tokens, totals.decode_seconds), totals.prompt_tokens,
      totals.reused_tokens, rate(totals.prompt_tokens - totals.reused_tokens, totals.prefill_seconds),
      questions(state.dialogue.exchanges().size()), totals.context_used, state.context, settings.effort,
      settings.temperature, settings.top_p,
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
      {"/system", "[TEXT]", "tells the model how to behave, in a new conversation; - takes it away", set_system},
      {"/think", "N", "how much the model thinks: 1 to 100, 0 = not at all", set_thinking},
      {"/temp", "X", "temperature, at most 100: 0 = always the likeliest token, 1 = as the model itself draws",
       set_temperature},
      {"/seed", "[N]", "the same seed gives the same answers; without N they vary", set_seed},
      {"/read", "FILE", "adds the text of a file to the next question", read_file},
      {"/save", "FILE", "saves the conversation", save_chat},
      {"/load", "FILE", "goes on with a saved conversation", load_chat},
      {"/rewind", "[N]", "forgets the last N questions and their answers; without N the last one", rewind},
      {"/stats", "", "tokens, speed and settings", statistics},
      {"/quit", "", "leaves", leave},
  };
  return kCommands;
}

// Other names that people try.
std::string_view main_name(std::string_view name) {
  if (name == "/clear" || name == "/reset") return "/new";
  if (name == "/undo") return "/rewind";
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
  if (!looks_like_command(line, word)) {
    state.may_replace.clear();
    return std::nullopt;
  }
  const auto command = std::ranges::find(commands(), main_name(word), &Command::name);
  if (command == commands().end()) {
    return fmt::format("There is no command {}; /help lists them. A blank before it sends it to the model.", word);
  }
  if (command->run != save_chat) state.may_replace.clear();
  const std::string_view argument = trim(line.substr(word.size()));
  const bool needs_argument = !command->argument.empty() && !command->argument.starts_with('[');
  if (argument.empty() && needs_argument) return usage(command->name);
  return command->run(argument, state);
}

}  // namespace bolide::app
