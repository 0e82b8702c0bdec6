#include "http/curl_error.h"

#include <string>

#include "base/process/open_files.h"

namespace gcsflux::internal {
namespace {

// "host:port" of the peer that libcurl could not connect to. libcurl gives it only in its text: "Failed to connect to
// proxy.example port 3128 after 2 ms: ...". Empty if the text is different.
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

// "host:port" of the requested URL.
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

// If a proxy fails without an answer, only libcurl's text shows that it was the proxy.
bool IsOfProxy(CURLcode code, std::string_view details) {
  if (code == CURLE_COULDNT_RESOLVE_PROXY) return false;  // libcurl itself says so.
  return code == CURLE_PROXY || details.find("roxy") != std::string_view::npos ||
         details.find("CONNECT tunnel") != std::string_view::npos;
}

// In TLS 1.3 a server can refuse a client's certificate after the client considers the handshake complete.
bool IsRefusedCertificate(std::string_view details) {
  return details.find(" alert certificate ") != std::string_view::npos ||
         details.find(" alert bad certificate") != std::string_view::npos ||
         details.find(" alert unsupported certificate") != std::string_view::npos ||
         details.find(" alert unknown ca") != std::string_view::npos ||
         details.find(" alert access denied") != std::string_view::npos;
}

// The connection was closed or reset before the end of the handshake. If TLS itself gives no reason, libcurl names the
// failed function, "OpenSSL SSL_connect: ...", or the socket's error. OpenSSL has its own reason only for the end of
// the connection.
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

// libcurl resolves names on a thread.
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

// Without a free descriptor no socket can be made, no name resolved and no certificate read. libcurl reports that as a
// peer that cannot be reached, or as an invalid certificate.
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

// libcurl has one code for a header of more than 100 KiB and for failed allocations. A header comes in an answer.
Error OutOfMemory(CURL* easy) {
  curl_off_t first_byte_after = 0;
  curl_easy_getinfo(easy, CURLINFO_STARTTRANSFER_TIME_T, &first_byte_after);
  if (first_byte_after == 0) return {ErrorCode::kLocalIo, "out of memory"};
  return {ErrorCode::kBadResponse, "one of the answer's headers is larger than 100 KiB, or there is no memory left"};
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
    case CURLE_UNSUPPORTED_PROTOCOL:  // The answer was not HTTP; our URLs always are.
    case CURLE_WEIRD_SERVER_REPLY:
      // On a reused connection these bytes are the rest of its last answer.
      if (IsReused(easy)) return Error{ErrorCode::kUnavailable, "the connection was out of step"};
      [[fallthrough]];
    case CURLE_BAD_CONTENT_ENCODING:
      return Error{ErrorCode::kBadResponse, peer + " does not speak HTTP: " + std::string(details)};
    case CURLE_OUT_OF_MEMORY: return OutOfMemory(easy);
    // A reset, a close before the answer, and other failures during an exchange.
    default: return Error{ErrorCode::kUnavailable, curl_easy_strerror(code)};
  }
}

}  // namespace gcsflux::internal
