// What a command of `hydra` works with.
#pragma once

#include <functional>
#include <ostream>

#include "absl/status/status.h"
#include "client/cpp/client.h"
#include "client/terminal/exit_code.h"

namespace hydra::cli {

using terminal::ExitCode;

enum class Format {
  kText,  // tables for people
  kJson,  // one JSON object a line, for programs
};

// References must outlive the session.  Not thread-safe.
class Session {
 public:
  Session(client::Client client, Format format, std::ostream& out, std::ostream& err);

  client::Client& client() { return client_; }
  Format format() const { return format_; }
  std::ostream& out() { return out_; }

  // Prints a server's error and gives the program's exit status for it.
  ExitCode Refused(const absl::Status& status);
  // Prints an error of the command line or of a local file.
  ExitCode Misused(const absl::Status& status);

 private:
  client::Client client_;
  Format format_;
  std::ostream& out_;
  std::ostream& err_;
};

// One command, its flags already read.
using Command = std::function<ExitCode(Session&)>;

}  // namespace hydra::cli
