#pragma once

#include <string>
#include <vector>

#include "auth/credential_config.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// A request to somebody who gives out tokens, as a value.
struct TokenRequest {
  HttpRequest http = {};
  /// What may appear in no message, should the answer repeat it.
  std::vector<std::string> secrets = {};
  /// What is asked for, as a message says it.
  const char* wanted = "token";
};

/// The grant urn:ietf:params:oauth:grant-type:jwt-bearer (RFC 7523).
TokenRequest AssertionRequest(const ServiceAccountKey& key, const std::string& assertion);
/// RFC 6749, section 6.
TokenRequest RefreshRequest(const AuthorizedUser& user);
/// RFC 8693, as https://google.aip.dev/auth/4117 has it.
TokenRequest ExchangeRequest(const ExternalAccount& account, const std::string& subject_token);
/// generateAccessToken, by the bearer of `token`.
TokenRequest ImpersonationRequest(const Impersonation& impersonation, const std::string& token);
/// A machine's own token.
TokenRequest MetadataRequest(const std::string& host);
/// An external account's own token, where it has a URL.
TokenRequest SubjectTokenRequest(const SubjectTokenSource& source);

}  // namespace gcsflux::internal
