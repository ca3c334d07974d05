// stdin, stdout and stderr of the commands: results on stdout, everything else on stderr.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace bolide::app {

// To be called first in main(): a reader that goes away must not kill the program by SIGPIPE, and a file opened later
// must not take the place of a standard stream that the caller closed.
void prepare_standard_streams();

// Writes to stdout. False when nothing more can be written; finish_output() then knows why.
bool print_out(std::string_view text);
// Hands over to the reader what was written, for output that is watched while it comes. False as above.
bool flush_out();

// Writes to stderr.
void print_error(std::string_view text);

// To be called last: whether all of the output has arrived. Returns `exit_code`, or kFailed after a message.
int finish_output(int exit_code);

// All of stdin, at most `limit_bytes`.
Result<std::string> read_stdin(u64 limit_bytes);

// Prints "bolide: " and the error, returns kFailed.
int report_failure(const Error& error);

// Prints the problem with the command's arguments and where to look, returns kWrongUsage.
int report_wrong_usage(std::string_view command, const Error& error);

}  // namespace bolide::app
