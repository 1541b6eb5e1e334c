// How the client's programs end; documented in `hydra --help` and stable.
#pragma once

namespace hydra::terminal {

enum class ExitCode {
  kOk = 0,           // answered; an abstention is an answer
  kUsage = 1,        // wrong flags, or a local file that cannot be used
  kRefused = 2,      // the server refused: bad input, infeasible target, no credentials, ...
  kUnreachable = 3,  // no server, no answer in time, starting, draining or overloaded
  kIncomplete = 4,   // answered in part: an input failed, or a service is not serving
};

inline constexpr char kExitCodeHelp[] =
    "Exit status: 0 answered (an abstention is an answer), 1 wrong usage or unusable local file,\n"
    "2 refused by the server, 3 no server, no answer in time or overloaded, 4 answered in part.";

}  // namespace hydra::terminal
