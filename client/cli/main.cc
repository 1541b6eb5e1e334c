// hydra: the command-line client.
#include <iostream>

#include "client/cli/program.h"

int main(int argc, char** argv) {
  hydra::cli::Program program;
  try {
    program.app().parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = program.app().exit(error) == 0;  // prints the help or the error
    return static_cast<int>(asked ? hydra::cli::ExitCode::kOk : hydra::cli::ExitCode::kUsage);
  }
  return static_cast<int>(program.Run(std::cout, std::cerr, hydra::client::Client::Create));
}
