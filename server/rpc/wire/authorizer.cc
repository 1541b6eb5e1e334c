#include "server/rpc/wire/authorizer.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "model/base/file.h"
#include "model/base/sha256.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "openssl/crypto.h"

namespace hydra::rpc {
namespace {

constexpr size_t kMaxFileBytes = size_t{64} << 10;
constexpr size_t kMinTokenCharacters = 16;
constexpr size_t kMaxNameCharacters = 64;
constexpr absl::string_view kScheme = "bearer ";

bool IsName(absl::string_view name) {
  return !name.empty() && name.size() <= kMaxNameCharacters &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' ||
                  c == '-';
         });
}

// "127.x.y.z" with numbers; a name such as 127.example.com is not loopback.
bool IsLoopbackIpv4(absl::string_view host) {
  const std::vector<absl::string_view> parts = absl::StrSplit(host, '.');
  return parts.size() == 4 && parts[0] == "127" &&
         std::all_of(parts.begin(), parts.end(), [](absl::string_view part) {
           int value = -1;
           return absl::SimpleAtoi(part, &value) && value >= 0 && value <= 255;
         });
}

absl::Status Unauthenticated(absl::string_view reason, absl::string_view message) {
  return base::WithReason(absl::UnauthenticatedError(message), reason);
}

absl::StatusOr<std::string> PresentedToken(const grpc::ServerContextBase& context) {
  const auto range = context.client_metadata().equal_range("authorization");
  if (range.first == range.second) {
    return Unauthenticated("NO_TOKEN", "this call changes state and needs a bearer token");
  }
  if (std::next(range.first) != range.second) {
    return Unauthenticated("BAD_TOKEN", "more than one authorization header");
  }
  const absl::string_view header(range.first->second.data(), range.first->second.size());
  if (!absl::StartsWithIgnoreCase(header, kScheme)) {
    return Unauthenticated("BAD_TOKEN", "the authorization header is not a bearer token");
  }
  return std::string(absl::StripAsciiWhitespace(header.substr(kScheme.size())));
}

}  // namespace

bool IsLoopback(absl::string_view listen) {
  if (absl::StartsWith(listen, "unix:")) return true;
  const size_t colon = listen.rfind(':');
  if (colon == absl::string_view::npos) return false;
  const absl::string_view host = listen.substr(0, colon);
  return host == "localhost" || host == "[::1]" || IsLoopbackIpv4(host);
}

absl::StatusOr<Authorizer> Authorizer::Create(const std::string& token_file,
                                              absl::string_view listen) {
  std::vector<Token> tokens;
  if (!token_file.empty()) {
    HYDRA_ASSIGN_OR_RETURN(tokens, ReadTokens(token_file));
  }
  return Authorizer(std::move(tokens), IsLoopback(listen));
}

absl::StatusOr<std::vector<Authorizer::Token>> Authorizer::ReadTokens(const std::string& path) {
  const absl::StatusOr<std::string> text = base::ReadFile(path, kMaxFileBytes);
  if (!text.ok()) return absl::FailedPreconditionError(text.status().message());
  std::vector<Token> tokens;
  for (const absl::string_view raw : absl::StrSplit(*text, '\n')) {
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty()) continue;
    absl::StatusOr<Token> token = ParseToken(line);
    if (!token.ok()) {
      return absl::FailedPreconditionError(
          absl::StrCat(path, ": token ", tokens.size() + 1, ": ", token.status().message()));
    }
    tokens.push_back(*std::move(token));
  }
  if (tokens.empty()) return absl::FailedPreconditionError(absl::StrCat(path, ": no token"));
  return tokens;
}

absl::StatusOr<Authorizer::Token> Authorizer::ParseToken(absl::string_view line) {
  std::string name = "operator";
  const size_t colon = line.find(':');
  if (colon != absl::string_view::npos) {
    name = std::string(line.substr(0, colon));
    line.remove_prefix(colon + 1);
    if (!IsName(name)) return absl::InvalidArgumentError("want a name of [A-Za-z0-9._-]{1,64}");
  }
  if (line.size() < kMinTokenCharacters) {
    return absl::InvalidArgumentError(
        absl::StrCat("got ", line.size(), " characters, want at least ", kMinTokenCharacters));
  }
  return Token{name, base::Sha256Hex(line)};
}

absl::StatusOr<std::string> Authorizer::AuthorizeChange(
    const grpc::ServerContextBase& context) const {
  if (tokens_.empty()) {
    if (loopback_) return std::string("anonymous");
    return base::WithReason(
        absl::PermissionDeniedError(
            "calls that change state are off: the server listens beyond loopback without a token"),
        "CHANGES_DISABLED");
  }
  HYDRA_ASSIGN_OR_RETURN(const std::string presented, PresentedToken(context));
  const std::string digest = base::Sha256Hex(presented);
  const Token* found = nullptr;
  for (const Token& token : tokens_) {
    if (CRYPTO_memcmp(token.digest.data(), digest.data(), digest.size()) == 0) found = &token;
  }
  if (found == nullptr) return Unauthenticated("BAD_TOKEN", "the bearer token is not known");
  return found->name;
}

}  // namespace hydra::rpc
