// How text takes room on a terminal, and what of it may be sent there.
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"

namespace bolide::app {

// Lets the C library know characters beyond ASCII, also where the environment names no UTF-8 locale (a container).
// Once, before text_width() is used.
void use_unicode_widths();

// Columns of a code point: 0 for what joins the character before it, 2 for wide characters. Control characters: 0.
std::size_t code_point_width(u32 code_point);

// Bytes of the character at the beginning of `text` (valid UTF-8): a code point and those that join it. 0 at the end.
std::size_t character_length(std::string_view text);

// Where the character before `position` begins; 0 at the beginning.
std::size_t previous_character(std::string_view text, std::size_t position);

// Whether the code point may command a terminal, or show text in another order than it is stored in.
bool is_control(u32 code_point);

// Text of a model or a file with every control character but line feed and tab replaced by U+FFFD, so that it cannot
// command the terminal; the carriage return of a line end is left out. `text` is valid UTF-8.
std::string without_controls(std::string_view text);

}  // namespace bolide::app
