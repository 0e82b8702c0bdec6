#include "http/curl_error.h"

#include <string>

#include "base/open_files.h"

namespace gcsflux::internal {
namespace {

// "host:port" of what libcurl could not connect to, which it only says in words: "Failed to connect to proxy.example
// port 3128 after 2 ms: ..."; empty where the words are others.
std::string FailedPeer(std::string_view details) {
  constexpr std::string_view kHost = "Failed to connect to ";
  constexpr std::string_view kPort = " port ";
  const auto port = details.find(kPort);
  if (!details.starts_with(kHost) || port == std::string_view::npos) return "";
  const auto rest = details.substr(port + kPort.size());
  const std::string_view host = details.substr(kHost.size(), port - kHost.size());
  const bool is_ipv6 = host.find(':') != std::string_view::npos && !host.starts_with('[');
  return (is_ipv6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" +
         std::string(rest.substr(0, rest.find(' ')));
}

// "host:port" of the URL that was asked for.
std::string AskedPeer(CURL* easy) {
  const char* text = nullptr;
  curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &text);
  std::string_view url = text == nullptr ? "" : text;
  const bool is_https = url.starts_with("https:");
  if (const auto scheme = url.find("://"); scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  const auto bracket = url.find(']');
  const bool has_port = url.find(':', bracket == std::string_view::npos ? 0 : bracket) != std::string_view::npos;
  return std::string(url) + (has_port ? "" : is_https ? ":443" : ":80");
}

// A proxy that does not do as it is told, and gives no answer, is known by libcurl's words only.
bool IsOfProxy(CURLcode code, std::string_view details) {
  if (code == CURLE_COULDNT_RESOLVE_PROXY) return false;  // that it says itself
  return code == CURLE_PROXY || details.find("roxy") != std::string_view::npos ||
         details.find("CONNECT tunnel") != std::string_view::npos;
}

// In TLS 1.3 a server refuses a client's certificate once the client believes that all is well.
bool IsRefusedCertificate(std::string_view details) {
  return details.find(" alert certificate ") != std::string_view::npos ||
         details.find(" alert bad certificate") != std::string_view::npos ||
         details.find(" alert unsupported certificate") != std::string_view::npos ||
         details.find(" alert unknown ca") != std::string_view::npos ||
         details.find(" alert access denied") != std::string_view::npos;
}

// Closed or reset before the handshake was over. Where TLS itself gives no reason, libcurl names the function that
// failed, "OpenSSL SSL_connect: ...", or the socket's error; an end of the connection is the one reason of OpenSSL's
// own.
bool IsLostHandshake(std::string_view details) {
  return details.find(" SSL_connect: ") != std::string_view::npos || details.starts_with("Recv failure: ") ||
         details.starts_with("Send failure: ") ||
         details.find("unexpected eof while reading") != std::string_view::npos;
}

Error ProxyError(long connect_status, std::string_view details) {
  if (connect_status < 300)
    return Error{ErrorCode::kProxyFailed, "the proxy does not pass on: " + std::string(details)};
  Error error{ErrorCode::kProxyFailed, "the proxy answered CONNECT with " + std::to_string(connect_status)};
  error.http_status = static_cast<int>(connect_status);
  return error;
}

Error ConnectError(CURL* easy, const std::string& peer, std::string_view details) {
  long os_error = 0;
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_error);
  const std::string what = os_error == ECONNREFUSED ? "connection refused" : "no connection";
  const std::string failed = FailedPeer(details);
  if (!failed.empty() && failed != peer) return Error{ErrorCode::kProxyFailed, "the proxy " + failed + ": " + what};
  return Error{ErrorCode::kUnreachable, peer + ": " + what};
}

// libcurl looks a name up on a thread.
Error NoNameError(const std::string& peer, std::string_view details) {
  const bool has_no_thread = details.find("thread failed to start") != std::string_view::npos;
  return {ErrorCode::kUnreachable,
          peer + (has_no_thread ? ": no thread could be started that looks its name up" : ": the name is not known")};
}

Error TimeoutError(CURL* easy, const std::string& peer) {
  curl_off_t connected_after = 0;
  curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &connected_after);
  if (connected_after > 0) return Error{ErrorCode::kUnavailable, peer + ": no TLS within the connect time-out"};
  return Error{ErrorCode::kUnreachable, peer + ": no connection within the connect time-out"};
}

Error TlsError(const std::string& peer, std::string_view details) {
  return Error{ErrorCode::kTlsFailed, "TLS with " + peer + " failed: " + std::string(details)};
}

Error LostHandshake(const std::string& peer) {
  return Error{ErrorCode::kUnavailable, "the connection to " + peer + " was lost in the TLS handshake"};
}

// Without a descriptor no socket is made, no name is looked up and no certificate read; libcurl takes that for a peer
// that cannot be reached, or for a certificate that is none.
bool IsForWantOfDescriptors(CURLcode code) {
  const bool may_be = code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
                      code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_SSL_CACERT_BADFILE ||
                      code == CURLE_SSL_CERTPROBLEM;
  return may_be && IsOutOfDescriptors();
}

Error TooManyOpenFiles(const std::string& peer) {
  return {.code = ErrorCode::kUnreachable,
          .message = peer + ": no connection, since this process has too many open files",
          .reason = std::string(kTooManyOpenFiles)};
}

bool IsReused(CURL* easy) {
  long connections = 0;
  curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connections);
  return connections == 0;
}

}  // namespace

Error StandstillError(CURL* easy) {
  return {ErrorCode::kUnavailable, AskedPeer(easy) + ": no byte moved for too long"};
}

Error CurlError(CURL* easy, CURLcode code, std::string_view details) {
  if (details.empty()) details = curl_easy_strerror(code);
  const std::string peer = AskedPeer(easy);
  if (IsForWantOfDescriptors(code)) return TooManyOpenFiles(peer);
  long connect_status = 0;
  curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &connect_status);
  if (connect_status >= 300 || IsOfProxy(code, details)) return ProxyError(connect_status, details);
  if (IsRefusedCertificate(details)) return TlsError(peer, details);
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY: return Error{ErrorCode::kProxyFailed, "the proxy's name is not known"};
    case CURLE_COULDNT_RESOLVE_HOST: return NoNameError(peer, details);
    case CURLE_COULDNT_CONNECT: return ConnectError(easy, peer, details);
    case CURLE_OPERATION_TIMEDOUT: return TimeoutError(easy, peer);
    case CURLE_PARTIAL_FILE: return Error{ErrorCode::kTruncated, "the body ended before its announced length"};
    case CURLE_SSL_CONNECT_ERROR:
      if (IsLostHandshake(details)) return LostHandshake(peer);
      return TlsError(peer, details);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return TlsError(peer, details);
    case CURLE_URL_MALFORMAT: return Error{ErrorCode::kInvalidArgument, curl_easy_strerror(code)};
    case CURLE_UNSUPPORTED_PROTOCOL:  // What answered does not speak HTTP; our URLs always do.
    case CURLE_WEIRD_SERVER_REPLY:
      // On a connection that served before, it is what its last answer had too much of.
      if (IsReused(easy)) return Error{ErrorCode::kUnavailable, "the connection was out of step"};
      [[fallthrough]];
    case CURLE_BAD_CONTENT_ENCODING:
      return Error{ErrorCode::kBadResponse, peer + " does not speak HTTP: " + std::string(details)};
    case CURLE_OUT_OF_MEMORY:  // what libcurl calls a header of more than 100 KiB
      return Error{ErrorCode::kBadResponse,
                   "one of the answer's headers is larger than 100 KiB, or there is no memory left"};
    // Reset, closed before an answer, and what else breaks in mid-exchange.
    default: return Error{ErrorCode::kUnavailable, curl_easy_strerror(code)};
  }
}

}  // namespace gcsflux::internal
