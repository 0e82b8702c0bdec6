#include "wire/error_response.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/text/printable.h"
#include "wire/bounded_json.h"
#include "wire/xml_error.h"

namespace gcsflux::internal {
namespace {

using Json = nlohmann::json;

bool IsRateLimitReason(const std::string& reason) {
  return reason == "rateLimitExceeded" || reason == "userRateLimitExceeded" || reason == "SlowDown";
}

ErrorCode CodeOf(int status, const std::string& reason) {
  switch (status) {
    case 304: return ErrorCode::kNotModified;
    case 401: return ErrorCode::kUnauthenticated;
    case 403: return IsRateLimitReason(reason) ? ErrorCode::kRateLimited : ErrorCode::kPermissionDenied;
    case 404: return ErrorCode::kNotFound;
    case 407: return ErrorCode::kProxyFailed;
    // Upload sessions have returned rate limits as 410.
    case 410: return IsRateLimitReason(reason) ? ErrorCode::kRateLimited : ErrorCode::kNotFound;
    case 408: return ErrorCode::kUnavailable;
    case 409: return reason == "BucketNotEmpty" ? ErrorCode::kBucketNotEmpty : ErrorCode::kAlreadyExists;
    case 412: return ErrorCode::kPreconditionFailed;
    case 416: return ErrorCode::kOutOfRange;
    case 429: return ErrorCode::kRateLimited;
    default: break;
  }
  if (reason == "SlowDown") return ErrorCode::kRateLimited;  // From the XML API; S3 sends it with 503.
  if (reason == "BadDigest") return ErrorCode::kCorrupted;
  if (status >= 500 && status != 501) return ErrorCode::kUnavailable;
  if (status >= 400 && status < 500) return ErrorCode::kInvalidArgument;
  return ErrorCode::kBadResponse;
}

std::string TextAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The part of the service's text that may be shown: no control characters, and no incomplete character.
std::string Presentable(std::string words, std::size_t most) {
  if (words.size() > most) {
    while (most > 0 && (static_cast<unsigned char>(words[most]) & 0xC0U) == 0x80U) --most;
    words.resize(most);
  }
  return Printable(std::move(words), ' ');
}

// Whole seconds. RFC 9110 also allows a date, which GCS does not send.
std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view text) {
  std::uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

}  // namespace

Error ErrorFromResponse(const HttpResponse& response) {
  constexpr std::size_t kShownOfBody = 256;
  constexpr std::size_t kShownOfWords = 1536;  // The text may contain an object's name, of up to 1024 bytes.
  Error error{.http_status = response.status};
  error.retry_after = ParseRetryAfter(FindHeader(response.headers, "retry-after"));
  std::string words;
  constexpr std::size_t kMostValues = 10'000;
  const Json document = ParseBounded(response.body, kMostValues);
  if (const auto found = document.is_object() ? document.find("error") : document.end();
      found != document.end() && found->is_object()) {
    words = TextAt(*found, "message");
    const auto errors = found->find("errors");
    if (errors != found->end() && errors->is_array() && !errors->empty())
      error.reason = TextAt(errors->front(), "reason");
  } else if (const auto xml = ParseXmlError(response.body)) {
    error.reason = xml->code;
    words = xml->message;
  } else {
    words = Presentable(response.body.substr(0, kShownOfBody + 1), kShownOfBody);
  }
  error.reason = Presentable(std::move(error.reason), kShownOfBody);
  words = Presentable(std::move(words), kShownOfWords);
  error.code = CodeOf(response.status, error.reason);
  // "Provided CRC32C "X" doesn't match calculated CRC32C "Y".": GCS sends no reason for it.
  if (response.status == 400 && words.find("doesn't match calculated") != std::string::npos) {
    error.code = ErrorCode::kCorrupted;
  }
  error.message = std::to_string(response.status);
  if (!error.reason.empty()) error.message += " " + error.reason;
  if (!words.empty()) error.message += ": " + words;
  return error;
}

}  // namespace gcsflux::internal
