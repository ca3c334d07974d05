// How much the model is to think, as callers say it (prompt-format.md section 4).
#pragma once
#include <optional>

#include "base/result.h"
#include "text/json.h"

namespace bolide::text {

// The default of the release encoder ("high").
constexpr int kDefaultEffort = 75;

// The effort that a value names: "none" and 0 are 0, the names have their numbers, 1 to 100 are themselves. An error
// for any other value; it begins with "expected".
Result<int> read_effort(const Json& value);

// Gathers what the fields of a request say. Off wins over a number, a number over a name, otherwise the first counts.
class EffortChoice {
 public:
  void add_switch(bool on);
  Status add(const Json& value);

  // None: nothing was said.
  std::optional<int> effort() const;

 private:
  bool off_ = false;
  bool on_ = false;
  std::optional<int> number_;
  std::optional<int> name_;
};

}  // namespace bolide::text
