#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "auth/credential_config.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// A request to a token endpoint, as a value.
struct TokenRequest {
  HttpRequest http = {};
  /// Texts that no message may contain, even if the answer repeats them.
  std::vector<std::string> secrets = {};
  /// What is requested, for messages.
  const char* wanted = "token";
};

/// The grant urn:ietf:params:oauth:grant-type:jwt-bearer (RFC 7523).
TokenRequest AssertionRequest(const ServiceAccountKey& key, const std::string& assertion);
/// RFC 6749, section 6.
TokenRequest RefreshRequest(const AuthorizedUser& user);
/// RFC 8693, in the form of https://google.aip.dev/auth/4117.
TokenRequest ExchangeRequest(const ExternalAccount& account, const std::string& subject_token);
/// generateAccessToken, authorised by `token`.
TokenRequest ImpersonationRequest(const Impersonation& impersonation, const std::string& token);
/// A method of IAM Credentials, on behalf of the delegates, authorised by `token`.
TokenRequest IamRequest(const std::string& url, nlohmann::json body, const std::vector<std::string>& delegates,
                        const std::string& token);
/// A machine's own token.
TokenRequest MetadataRequest(const std::string& host);
/// The request for an external account's own token, if it has a URL.
TokenRequest SubjectTokenRequest(const SubjectTokenSource& source);

}  // namespace gcsflux::internal
