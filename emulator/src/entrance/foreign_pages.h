#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// Refuses what web pages of other sites send, in the browser of a person who also runs an emulator: 403. Without it,
/// any page could change and, through a name that its owner points at 127.0.0.1, read the emulator. Thread-safe.
///
/// A request passes if its Host, and its Origin if it has one, are local or allowed. Local are addresses, names without
/// a dot, such as a container's, names below a top level that the public DNS does not have, such as .localhost, .test
/// or .internal, and Google's own. A browser's request without an Origin is refused if Sec-Fetch-Site is cross-site.
class ForeignPages final : public RequestHandler {
 public:
  /// `allowed_hosts` are more names. One that begins with a dot stands for all names below it, "*" for all names. What
  /// passes goes to `next`, which must outlive this.
  ForeignPages(std::vector<std::string> allowed_hosts, RequestHandler& next)
      : allowed_hosts_(std::move(allowed_hosts)), next_(next) {}

  HttpResponse Handle(const HttpRequest& request, RequestBody& body) override;

 private:
  [[nodiscard]] bool IsAllowed(std::string_view authority) const;
  [[nodiscard]] bool IsForeign(const HttpHeaders& headers) const;

  const std::vector<std::string> allowed_hosts_;
  RequestHandler& next_;
};

}  // namespace gcsflux::emulator
