#pragma once

#include <optional>
#include <string>
#include <vector>

#include "http/http_message.h"
#include "http/target.h"
#include "identity/identity.h"

namespace gcsflux::emulator {

/// What a virtual machine asks of http://metadata.google.internal: who it is, and for tokens. Thread-safe.
///
/// https://cloud.google.com/compute/docs/metadata/overview
class MetadataServer {
 public:
  /// 404 to everything that needs an account, where the configuration gives the machine none.
  explicit MetadataServer(Identity& identity) : identity_(identity) {}

  /// Nothing where the request is for another path.
  std::optional<HttpResponse> Answer(const HttpRequest& request, const Target& target);

 private:
  HttpResponse AnswerPath(const std::vector<std::string>& path, const QueryParameters& query);
  HttpResponse AnswerAccount(const std::vector<std::string>& rest, const QueryParameters& query);

  Identity& identity_;
};

}  // namespace gcsflux::emulator
