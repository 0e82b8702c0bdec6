#pragma once

#include <optional>
#include <string>

#include "http/http_message.h"
#include "http/target.h"
#include "identity/identity.h"

namespace gcsflux::emulator {

/// Where credentials become access tokens: OAuth 2's token endpoint, the Security Token Service's and the IAM
/// Credentials API's. Thread-safe.
class TokenEndpoints {
 public:
  explicit TokenEndpoints(Identity& identity) : identity_(identity) {}

  /// Nothing where the request is for none of them. `base_url` is what the client calls the emulator.
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
