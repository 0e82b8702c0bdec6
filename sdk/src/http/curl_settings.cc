#include "http/curl_settings.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "http/curl_sockets.h"

namespace gcsflux::internal {
namespace {

// Measured: from 128 KiB on, glibc's trim and mmap thresholds can double the CPU per request.
constexpr long kReceiveBufferBytes = 64L << 10;
// Measured: 5.4 GB/s, against 3.2 at libcurl's default of 64 KiB.
constexpr long kSendBufferBytes = 512L << 10;

// If it is absent, libcurl's default, which is the environment's value.
const char* OrDefault(const std::optional<std::string>& text) { return text ? text->c_str() : nullptr; }

// libcurl stores it as an int. A time of 24 days means no limit here.
long InMilliseconds(std::chrono::milliseconds duration) {
  constexpr std::chrono::milliseconds kMost{std::numeric_limits<std::int32_t>::max()};
  return static_cast<long>(std::min(duration, kMost).count());
}

}  // namespace

EasyHandle CurlSettings::MakeEasy(SocketOwner* owner) const {
  const LeafSection leaf;
  EasyHandle handle(curl_easy_init());
  CURL* const easy = handle.get();
  if (easy == nullptr) return handle;
  UseOwnSockets(easy, owner);
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, options_.user_agent.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, OrDefault(options_.no_proxy));
  PrepareTls(easy);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, kReceiveBufferBytes);
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, kSendBufferBytes);
  return handle;
}

void CurlSettings::Prepare(CURL* easy, const HttpRequest& request) const {
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   InMilliseconds(request.connect_timeout.value_or(options_.connect_timeout)));
  curl_easy_setopt(easy, CURLOPT_PROXY, request.bypass_proxy ? "" : OrDefault(options_.proxy));
  SetUrl(easy, request);
}

// libcurl parses a URL and encodes its query letter by letter: 20,000 instructions for each request. It does not if it
// gets the target as a whole. But a proxy for plain http needs another target, which libcurl makes from the URL. And
// libcurl does not check a target as it checks a URL.
void CurlSettings::SetUrl(CURL* easy, const HttpRequest& request) const {
  const std::string_view url = request.url;
  const bool is_direct = request.bypass_proxy || options_.proxy == "";
  const std::size_t host = url.find("://");
  const std::size_t target = host == std::string_view::npos ? host : url.find_first_of("/?", host + 3);
  const bool is_plain = std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < '\x7F' && c != '#'; });
  if (!is_direct || target == std::string_view::npos || url[target] != '/' || !is_plain) {
    curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, nullptr);
    curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
    return;
  }
  curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, request.url.c_str() + target);
  curl_easy_setopt(easy, CURLOPT_URL, std::string(url.substr(0, target + 1)).c_str());
}

void CurlSettings::PrepareTls(CURL* easy) const {
  if (!options_.ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, options_.ca_file.c_str());
    curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, options_.ca_file.c_str());
  }
  if (options_.client_certificate_file.empty()) return;
  const std::string& key =
      options_.client_key_file.empty() ? options_.client_certificate_file : options_.client_key_file;
  curl_easy_setopt(easy, CURLOPT_SSLCERT, options_.client_certificate_file.c_str());
  curl_easy_setopt(easy, CURLOPT_SSLKEY, key.c_str());
  curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");  // otherwise OpenSSL would ask for it at the terminal
}

}  // namespace gcsflux::internal
