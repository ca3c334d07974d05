#include "text/effort.h"

#include <algorithm>
#include <string_view>

namespace bolide::text {
namespace {

struct EffortName {
  std::string_view name;
  int effort;
};
// Of the release encoder and the hosted API (section 0 tells of an older table).
constexpr EffortName kNames[] = {{"none", 0},  {"minimal", 50}, {"low", 50},  {"medium", 75},
                                 {"high", 75}, {"xhigh", 75},   {"max", 100}, {"ultra", 100}};

}  // namespace

Result<int> read_effort(const Json& value) {
  if (const std::optional<i64> number = value.as_integer(); number && *number >= 0 && *number <= 100) {
    return static_cast<int>(*number);
  }
  if (value.is_string()) {
    const auto* name = std::ranges::find(kNames, value.text, &EffortName::name);
    if (name != std::end(kNames)) return name->effort;
  }
  return Error{
      "expected a whole number from 1 to 100, 0, or one of none, minimal, low, medium, high, xhigh, max and ultra"};
}

void EffortChoice::add_switch(bool on) {
  (on ? on_ : off_) = true;
}

Status EffortChoice::add(const Json& value) {
  const Result<int> effort = read_effort(value);
  if (!effort) return effort.error();
  std::optional<int>& said = value.is_number() ? number_ : name_;
  if (*effort == 0) off_ = true;
  if (!said) said = *effort;
  return {};
}

std::optional<int> EffortChoice::effort() const {
  if (off_) return 0;
  if (number_) return number_;
  if (name_) return name_;
  if (on_) return kDefaultEffort;
  return std::nullopt;
}

}  // namespace bolide::text
