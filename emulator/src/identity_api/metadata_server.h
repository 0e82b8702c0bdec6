#pragma once

#include <optional>
#include <string>
#include <vector>

#include "http/http_message.h"
#include "http/target.h"
#include "identity/identity.h"
#include "identity_api/machine.h"

namespace gcsflux::emulator {

/// What a virtual machine asks http://metadata.google.internal for: its account, and tokens. Thread-safe.
///
/// https://cloud.google.com/compute/docs/metadata/overview
class MetadataServer {
 public:
  /// If there are no identities (null), or the configuration gives the machine no account, everything that needs one is
  /// a 404.
  MetadataServer(Identity* identity, const Machine& machine) : identity_(identity), machine_(machine) {}

  /// Nothing if the request is for another path.
  std::optional<HttpResponse> Answer(const HttpRequest& request, const Target& target);

 private:
  HttpResponse AnswerPath(const std::vector<std::string>& path, const QueryParameters& query);
  HttpResponse AnswerIdentity(const std::vector<std::string>& path, const QueryParameters& query);
  HttpResponse AnswerAccount(const std::vector<std::string>& rest, const QueryParameters& query);

  Identity* const identity_;
  const Machine& machine_;
};

}  // namespace gcsflux::emulator
