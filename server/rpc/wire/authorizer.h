// Who may change state: the holder of a bearer token.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "grpcpp/server_context.h"

namespace hydra::rpc {

// Thread-safe.
class Authorizer {
 public:
  // `token_file`: one token a line, plain or as "NAME:TOKEN"; empty path: no tokens.  `listen`: the
  // address that clients reach; without tokens only a loopback address allows changes.
  // Errors: FAILED_PRECONDITION the file cannot be read, holds no token, one shorter than 16
  // characters, or a name that is not [A-Za-z0-9._-]{1,64}.
  static absl::StatusOr<Authorizer> Create(const std::string& token_file, absl::string_view listen);

  // The caller's name: the token's, "operator" for a token without one, "anonymous" without tokens.
  // Errors: UNAUTHENTICATED NO_TOKEN or BAD_TOKEN; PERMISSION_DENIED CHANGES_DISABLED.
  absl::StatusOr<std::string> AuthorizeChange(const grpc::ServerContextBase& context) const;

 private:
  struct Token {
    std::string name;
    std::string digest;  // SHA-256: equal lengths, so that the comparison takes constant time
  };

  Authorizer(std::vector<Token> tokens, bool loopback)
      : tokens_(std::move(tokens)), loopback_(loopback) {}

  static absl::StatusOr<std::vector<Token>> ReadTokens(const std::string& path);
  static absl::StatusOr<Token> ParseToken(absl::string_view line);

  std::vector<Token> tokens_;
  bool loopback_;
};

// True for "127.x.y.z:port", "[::1]:port", "localhost:port" and unix sockets.
bool IsLoopback(absl::string_view listen);

}  // namespace hydra::rpc
