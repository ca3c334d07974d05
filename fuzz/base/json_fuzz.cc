// Any bytes as a JSON document: a value, or an error that names the document.
#include <cstdlib>
#include <string_view>

#include "base/json.h"
#include "base/types.h"

extern "C" int LLVMFuzzerTestOneInput(const bolide::u8* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = bolide::parse_json(text, "input.json");
  if (!value.ok() && !value.error().message.starts_with("input.json: ")) std::abort();
  return 0;
}
