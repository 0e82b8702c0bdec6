#include "entrance/foreign_pages.h"

#include <algorithm>
#include <array>

#include "base/letter_case.h"
#include "http/error_answer.h"
#include "http/which_api.h"

namespace gcsflux::emulator {
namespace {

// Top levels that the public DNS does not have: RFC 2606, RFC 6761, RFC 6762 and RFC 9476.
constexpr std::array<std::string_view, 14> kLocalLevels = {"localhost", "local", "internal", "test",       "example",
                                                           "invalid",   "lan",   "home",     "corp",       "private",
                                                           "intranet",  "svc",   "docker",   "localdomain"};

// Names whose DNS records no stranger can set.
constexpr std::array<std::string_view, 2> kReservedNames = {".googleapis.com", ".example.com"};

// The name in "name:port", in lower case and without the dot at its end.
std::string HostNameIn(std::string_view authority) {
  if (authority.starts_with('[')) return std::string(authority.substr(0, authority.find(']') + 1));
  std::string name = LowerCase(std::string(authority.substr(0, authority.find(':'))));
  if (name.ends_with('.')) name.pop_back();
  return name;
}

bool IsNameOrBelow(std::string_view name, std::string_view dotted) {
  return name == dotted.substr(1) || name.ends_with(dotted);
}

bool IsLocal(std::string_view name) {
  if (name.starts_with('[') || name.find('.') == std::string_view::npos) return true;
  const std::string_view top = name.substr(name.rfind('.') + 1);
  // Such as "127.0.0.1", or "gcs.my_network" between containers.
  const bool is_public_form = top.starts_with("xn--") || top.find_first_of("0123456789_") == std::string_view::npos;
  return !is_public_form || std::find(kLocalLevels.begin(), kLocalLevels.end(), top) != kLocalLevels.end() ||
         std::any_of(kReservedNames.begin(), kReservedNames.end(),
                     [&](std::string_view reserved) { return IsNameOrBelow(name, reserved); });
}

}  // namespace

HttpResponse ForeignPages::Handle(const HttpRequest& request, RequestBody& body) {
  if (!IsForeign(request.headers)) return next_.Handle(request, body);
  return ErrorAnswer(
      IsXmlRequest(request),
      {403, "forbidden",
       "The request names a host or a web page of another site. If the emulator is reached by that name, "
       "start it with --allowed_hosts=NAME."});
}

bool ForeignPages::IsForeign(const HttpHeaders& headers) const {
  const std::string* host = headers.Find("host");
  if (host != nullptr && !IsAllowed(*host)) return true;
  const std::optional<std::string> origin = headers.FindAll("origin");
  if (!origin) {
    const std::string* site = headers.Find("sec-fetch-site");
    return site != nullptr && *site == "cross-site";
  }
  const std::size_t scheme = origin->starts_with("http://") ? 7 : origin->starts_with("https://") ? 8 : 0;
  const std::string_view site = std::string_view(*origin).substr(scheme);
  const bool is_site = scheme != 0 && site.find_first_of(", /") == std::string_view::npos;
  return !is_site || !IsAllowed(site);  // "null" is a page without a site
}

bool ForeignPages::IsAllowed(std::string_view authority) const {
  const std::string name = HostNameIn(authority);
  if (IsLocal(name)) return true;
  return std::any_of(allowed_hosts_.begin(), allowed_hosts_.end(), [&](const std::string& allowed) {
    return allowed == "*" ||
           (allowed.starts_with('.') ? name.ends_with(LowerCase(allowed)) : IsInAnyCase(allowed, name));
  });
}

}  // namespace gcsflux::emulator
