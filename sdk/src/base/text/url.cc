#include "base/text/url.h"

#include <algorithm>
#include <charconv>

#include "base/text/lower_case.h"

namespace gcsflux::internal {
namespace {

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7F' && c != '\\' && c != '#'; });
}

bool IsHost(std::string_view host) {
  constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyz0123456789.-_";
  constexpr std::string_view kIpv6 = "0123456789abcdef:.";
  if (host.starts_with('[')) {
    return host.size() > 2 && host.ends_with(']') &&
           host.substr(1, host.size() - 2).find_first_not_of(kIpv6) == std::string_view::npos;
  }
  return !host.empty() && host.find_first_not_of(kName) == std::string_view::npos;
}

bool IsPort(std::string_view port) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return error == std::errc() && end == port.data() + port.size() && number >= 1 && number <= 65535;
}

}  // namespace

std::optional<Url> ParseUrl(std::string_view text) {
  if (!IsPrintable(text)) return std::nullopt;
  Url url{.is_https = text.starts_with("https://")};
  if (!url.is_https && !text.starts_with("http://")) return std::nullopt;
  text.remove_prefix(url.is_https ? 8 : 7);
  const auto path = std::min(text.find_first_of("/?"), text.size());
  const std::string_view authority = text.substr(0, path);
  const auto bracket = authority.rfind(']');
  const auto colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  url.host = LowerCase(authority.substr(0, colon));
  url.path = text.substr(path);
  if (!IsHost(url.host)) return std::nullopt;
  if (colon == std::string_view::npos) return url;
  url.port = authority.substr(colon + 1);
  return IsPort(url.port) ? std::optional(url) : std::nullopt;
}

bool IsLoopbackHost(std::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::count(host.begin(), host.end(), '.') == 3;
}

bool IsLoopback(std::string_view url) {
  const auto parsed = ParseUrl(url);
  return parsed && IsLoopbackHost(parsed->host);
}

}  // namespace gcsflux::internal
