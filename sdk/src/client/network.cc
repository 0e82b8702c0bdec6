#include "client/network.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/invalid_argument.h"
#include "base/text/base64.h"
#include "base/text/lower_case.h"
#include "base/text/percent_encoding.h"
#include "base/text/url.h"
#include "gcsflux/client.h"
#include "gcsflux/version.h"
#include "http/header_text.h"

namespace gcsflux::internal {
namespace {

// Without a blank at either end: the service would get another value.
bool IsTrimmedValue(std::string_view text) {
  const bool is_trimmed =
      text.empty() || (text.front() != ' ' && text.front() != '\t' && text.back() != ' ' && text.back() != '\t');
  return is_trimmed && IsHeaderValue(text);
}

// Headers that the client or libcurl sends, or that would change the meaning of a request. Prefixes end in '-'.
constexpr std::string_view kOurs[] = {"accept-encoding",
                                      "authorization",
                                      "connection",
                                      "content-encoding",
                                      "content-length",
                                      "content-range",
                                      "content-type",
                                      "expect",
                                      "host",
                                      "if-match",
                                      "if-none-match",
                                      "keep-alive",
                                      "proxy-authorization",
                                      "range",
                                      "te",
                                      "trailer",
                                      "transfer-encoding",
                                      "upgrade",
                                      "user-agent",
                                      "x-goog-api-client",
                                      "x-goog-content-length-range",
                                      "x-goog-copy-source-",
                                      "x-goog-encryption-",
                                      "x-goog-hash",
                                      "x-goog-if-",
                                      "x-goog-resumable",
                                      "x-goog-user-project",
                                      "x-upload-content-"};

bool IsOurs(std::string_view name) {
  const std::string lower = LowerCase(name);
  return std::any_of(std::begin(kOurs), std::end(kOurs), [&](std::string_view ours) {
    return ours.ends_with('-') ? lower.starts_with(ours) : lower == ours;
  });
}

// The message does not show the text, which may hold a password.
Result<void> CheckProxy(std::string_view text) {
  constexpr std::string_view kSchemes[] = {"http", "https", "socks4", "socks4a", "socks5", "socks5h"};
  const auto wrong = [] {
    return InvalidArgument(
        "ClientOptions::proxy must be [scheme://][user:password@]host[:port] with the scheme http, https, socks4, "
        "socks4a, socks5 or socks5h");
  };
  if (const auto end = text.find("://"); end != std::string_view::npos) {
    const std::string scheme = LowerCase(text.substr(0, end));
    if (std::find(std::begin(kSchemes), std::end(kSchemes), scheme) == std::end(kSchemes)) return wrong();
    text.remove_prefix(end + 3);
  }
  if (const auto user = text.rfind('@'); user != std::string_view::npos) text.remove_prefix(user + 1);
  if (text.ends_with('/')) text.remove_suffix(1);
  const auto url = ParseUrl("http://" + std::string(text));
  if (!url || !url->path.empty()) return wrong();
  return {};
}

Result<void> CheckPem(const char* option, const std::string& path, const ReadFile& read) {
  if (path.empty()) return {};
  const std::string who = std::string("ClientOptions::") + option + " '" + path + "' ";
  const auto content = read(path);
  if (!content) return Error{ErrorCode::kLocalIo, who + content.error().message};
  if (!*content) return Error{ErrorCode::kLocalIo, who + "is not there"};
  if ((*content)->find("-----BEGIN ") == std::string::npos) return InvalidArgument(who + "is no PEM file");
  return {};
}

Result<void> CheckFiles(const ClientOptions& options, const ReadFile& read) {
  if (options.client_certificate_file.empty() && !options.client_key_file.empty()) {
    return InvalidArgument("ClientOptions::client_key_file is given without client_certificate_file");
  }
  for (const auto& [option, path] : {std::pair("ca_file", &options.ca_file),
                                     {"client_certificate_file", &options.client_certificate_file},
                                     {"client_key_file", &options.client_key_file}}) {
    if (auto checked = CheckPem(option, *path, read); !checked) return checked;
  }
  return {};
}

// The same variables as the curl command uses.
std::string CaFileOfEnvironment(const GetEnv& env) {
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    if (auto value = env(name); value && !value->empty()) return *value;
  }
  return "";
}

// The variables that libcurl reads.
constexpr const char* kProxyVariables[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};

// If the environment names no proxy, returns an empty one: otherwise libcurl would read the environment for each
// request.
std::optional<std::string> ProxyOf(const ClientOptions& options, const GetEnv& env) {
  const auto is_set = [&](const char* name) { return !env(name).value_or("").empty(); };
  if (options.proxy || std::any_of(std::begin(kProxyVariables), std::end(kProxyVariables), is_set))
    return options.proxy;
  return "";
}

}  // namespace

Result<CurlOptions> ResolveNetwork(const ClientOptions& options, const GetEnv& env, const ReadFile& read) {
  if (!IsTrimmedValue(options.user_agent_prefix))
    return InvalidArgument("ClientOptions::user_agent_prefix is not a header's value");
  if (options.proxy && !options.proxy->empty()) {
    if (auto checked = CheckProxy(*options.proxy); !checked) return checked.error();
  }
  if (auto checked = CheckFiles(options, read); !checked) return checked.error();
  const std::string prefix = options.user_agent_prefix.empty() ? "" : options.user_agent_prefix + " ";
  const auto proxy = ProxyOf(options, env);
  return CurlOptions{.connect_timeout = options.connect_timeout,
                     .stall_timeout = options.stall_timeout,
                     .max_idle_connections = static_cast<std::size_t>(options.max_idle_connections),
                     .user_agent = prefix + "gcsflux/" + kVersion,
                     .ca_file = options.ca_file.empty() ? CaFileOfEnvironment(env) : options.ca_file,
                     .client_certificate_file = options.client_certificate_file,
                     .client_key_file = options.client_key_file,
                     .proxy = proxy,
                     .no_proxy = proxy == "" && !options.no_proxy ? proxy : options.no_proxy};
}

std::vector<std::string> ProxySecrets(const ClientOptions& options, const GetEnv& env) {
  std::vector<std::string> proxies;
  if (options.proxy) {
    proxies.push_back(*options.proxy);
  } else {  // as libcurl reads them
    for (const char* name : kProxyVariables) {
      if (auto value = env(name)) proxies.push_back(*std::move(value));
    }
  }
  std::vector<std::string> secrets;
  for (const std::string_view proxy : proxies) {
    const auto scheme = proxy.find("://");
    const auto begin = scheme == std::string_view::npos ? 0 : scheme + 3;
    const auto end = proxy.rfind('@');
    if (end == std::string_view::npos || end < begin) continue;
    const std::string_view user = proxy.substr(begin, end - begin);
    secrets.emplace_back(user);
    secrets.push_back(Base64Encode(PercentDecode(user)));  // as it is sent
    if (const auto colon = user.find(':'); colon != std::string_view::npos)
      secrets.emplace_back(user.substr(colon + 1));
  }
  return secrets;
}

Result<void> CheckExtraHeaders(const HeaderList& headers) {
  for (const auto& [name, value] : headers) {
    if (!IsHeaderName(name))
      return InvalidArgument("ClientOptions::extra_headers: '" + name.substr(0, 64) + "' is not a header's name");
    // The message does not show the value, which may be a secret.
    if (!IsTrimmedValue(value))
      return InvalidArgument("ClientOptions::extra_headers: " + name + " has a value that no header has");
    if (IsOurs(name)) return InvalidArgument("ClientOptions::extra_headers: " + name + " is sent by the client itself");
  }
  return {};
}

}  // namespace gcsflux::internal
