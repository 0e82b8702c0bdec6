#include "events/shown_url.h"

#include <algorithm>

namespace gcsflux::internal {
namespace {

constexpr std::string_view kSecret = "[secret]";
constexpr std::string_view kSecretNames[] = {"upload_id", "access_token",     "signature",
                                             "key",       "x-goog-signature", "x-goog-security-token"};

bool IsSecret(std::string_view name) {
  const auto is_same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  return std::any_of(std::begin(kSecretNames), std::end(kSecretNames), [&](std::string_view secret) {
    return std::equal(name.begin(), name.end(), secret.begin(), secret.end(), is_same);
  });
}

}  // namespace

std::string ShownUrl(std::string_view url, bool is_secret) {
  if (is_secret) {
    const auto host = url.find("://");
    const auto path = host == std::string_view::npos ? 0 : url.find_first_of("/?", host + 3);
    return std::string(url.substr(0, path)) + "/" + std::string(kSecret);
  }
  const auto query = url.find('?');
  std::string shown(url.substr(0, query));
  if (query == std::string_view::npos) return shown;
  for (auto rest = url.substr(query); !rest.empty();) {
    const auto end = std::min(rest.find('&', 1), rest.size());
    const auto parameter = rest.substr(0, end);  // with the ? or & before it
    const auto equals = std::min(parameter.find('='), parameter.size());
    shown += parameter.substr(0, equals);
    const auto value = parameter.substr(equals);
    shown +=
        IsSecret(parameter.substr(1, equals - 1)) && !value.empty() ? "=" + std::string(kSecret) : std::string(value);
    rest.remove_prefix(end);
  }
  return shown;
}

}  // namespace gcsflux::internal
