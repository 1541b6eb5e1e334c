// hydra-loadgen: closed and open loads, latency counted from the scheduled time.
#include <iostream>

#include "client/loadgen/program.h"

int main(int argc, char** argv) {
  hydra::loadgen::Program program;
  using hydra::terminal::ExitCode;
  try {
    program.app().parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = program.app().exit(error) == 0;  // prints the help or the error
    return static_cast<int>(asked ? ExitCode::kOk : ExitCode::kUsage);
  }
  return static_cast<int>(program.Run(std::cout, std::cerr));
}
