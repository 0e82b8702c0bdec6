#include "http/curl_error.h"

#include <string>

namespace gcsflux::internal {
namespace {

ErrorCode Classify(CURLcode code, bool is_connected) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT: return ErrorCode::kUnreachable;
    case CURLE_OPERATION_TIMEDOUT: return is_connected ? ErrorCode::kUnavailable : ErrorCode::kUnreachable;
    case CURLE_PARTIAL_FILE: return ErrorCode::kTruncated;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return ErrorCode::kTlsFailed;
    case CURLE_URL_MALFORMAT: return ErrorCode::kInvalidArgument;
    case CURLE_UNSUPPORTED_PROTOCOL:  // What answered does not speak HTTP; our URLs always do.
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING: return ErrorCode::kBadResponse;
    default: return ErrorCode::kUnavailable;  // Reset, closed before an answer, and what else breaks in mid-exchange.
  }
}

}  // namespace

Error CurlError(CURL* easy, CURLcode code) {
  curl_off_t connected_after = 0;
  curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &connected_after);
  std::string message = curl_easy_strerror(code);
  long os_error = 0;
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_error);
  if (code == CURLE_COULDNT_CONNECT && os_error == ECONNREFUSED) message = "connection refused";
  return Error{Classify(code, connected_after > 0), std::move(message)};
}

}  // namespace gcsflux::internal
