#pragma once

#include <optional>
#include <string>

#include "http/http_message.h"
#include "http/target.h"
#include "identity/identity.h"

namespace gcsflux::emulator {

/// The endpoints that exchange credentials for access tokens: OAuth 2's token endpoint, the Security Token Service and
/// the IAM Credentials API. Thread-safe.
class TokenEndpoints {
 public:
  explicit TokenEndpoints(Identity& identity) : identity_(identity) {}

  /// Nothing if the request is for none of them. `base_url` is the client's name for the emulator.
  std::optional<HttpResponse> Answer(const HttpRequest& request, RequestBody& body, const Target& target,
                                     const std::string& base_url);

 private:
  HttpResponse AnswerToken(const QueryParameters& form, const std::string& base_url);
  HttpResponse AnswerExchange(const QueryParameters& form);
  HttpResponse AnswerImpersonation(const HttpRequest& request, const std::string& text, std::string service_account,
                                   const std::string& base_url);

  Identity& identity_;
};

}  // namespace gcsflux::emulator
