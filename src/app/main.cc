#include <CLI/CLI.hpp>
#include "app/command.h"
#include "app/standard_streams.h"
int main(int argc, char** argv) {
  bolide::app::prepare_standard_streams();
  CLI::App program("Bolide");
  program.require_subcommand(1);
  bolide::app::Action action;
  bolide::app::add_run(program, action);
  bolide::app::add_logits(program, action);
  try { program.parse(argc, argv); } catch (const CLI::ParseError& e) { return program.exit(e) == 0 ? 0 : 2; }
  return bolide::app::finish_output(action());
}
