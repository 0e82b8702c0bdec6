#include "auth/credential_urls.h"

#include <optional>
#include <string>

#include "base/text/url.h"

namespace gcsflux::internal {
namespace {

constexpr std::string_view kGoogleApis = ".googleapis.com";

bool IsGoogle(const Url& url) {
  return url.is_https && url.port.empty() && (url.host.ends_with(kGoogleApis) || url.host == "accounts.google.com");
}

// "sts.googleapis.com", or its regional, mutual-TLS and private forms: "sts.REGION.", "REGION-sts.", "NAME.sts.",
// "sts-NAME.p." before googleapis.com. https://google.aip.dev/auth/4117
bool IsGoogleService(const Url& url, std::string_view service) {
  if (!IsGoogle(url) || !url.host.ends_with(kGoogleApis)) return false;
  const std::string name = url.host.substr(0, url.host.size() - kGoogleApis.size());
  const std::string plain(service);
  const auto dot = name.find('.');
  if (dot == std::string::npos) return name == plain || (name.ends_with("-" + plain) && name.size() > plain.size() + 1);
  const std::string first = name.substr(0, dot);
  const std::string second = name.substr(dot + 1);
  if (first.empty() || second.empty() || second.find('.') != std::string::npos) return false;
  return first == plain || second == plain || (first.starts_with(plain + "-") && second == "p");
}

bool IsHere(const Url& url) { return IsLoopbackHost(url.host); }

bool IsImpersonationPath(std::string_view path) {
  constexpr std::string_view kPrefix = "/v1/projects/-/serviceAccounts/";
  constexpr std::string_view kSuffix = ":generateAccessToken";
  if (!path.starts_with(kPrefix) || !path.ends_with(kSuffix) || path.size() <= kPrefix.size() + kSuffix.size()) {
    return false;
  }
  const auto account = path.substr(kPrefix.size(), path.size() - kPrefix.size() - kSuffix.size());
  return account.find_first_of("/?:") == std::string_view::npos;
}

}  // namespace

bool IsTokenUrl(std::string_view text) {
  const auto url = ParseUrl(text);
  return url && (IsGoogle(*url) || IsHere(*url));
}

bool IsStsUrl(std::string_view text) {
  const auto url = ParseUrl(text);
  return url && (IsGoogleService(*url, "sts") || IsHere(*url));
}

bool IsImpersonationUrl(std::string_view text) {
  const auto url = ParseUrl(text);
  return url && (IsGoogleService(*url, "iamcredentials") || IsHere(*url)) && IsImpersonationPath(url->path);
}

bool IsSubjectTokenUrl(std::string_view text) {
  const auto url = ParseUrl(text);
  return url && (url->is_https || IsHere(*url) || url->host == "169.254.169.254");
}

bool IsMetadataHost(std::string_view authority) {
  const auto url = ParseUrl("http://" + std::string(authority));
  if (!url || !url->path.empty()) return false;
  return IsHere(*url) || url->host == "169.254.169.254" || url->host == "[fd20:ce::254]" || url->host == "metadata" ||
         url->host == "metadata.google.internal";
}

}  // namespace gcsflux::internal
