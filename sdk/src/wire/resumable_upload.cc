#include "wire/resumable_upload.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text/base64.h"
#include "base/text/url.h"
#include "wire/error_response.h"
#include "wire/metadata_json.h"
#include "wire/single_header.h"

namespace gcsflux::internal {
namespace {

// "bytes=0-N" means N + 1 bytes; no header means none; any other text is an error.
std::optional<std::uint64_t> PersistedBytes(std::string_view range) {
  constexpr std::string_view kPrefix = "bytes=0-";
  if (range.empty()) return 0;
  if (!range.starts_with(kPrefix)) return std::nullopt;
  std::uint64_t last = 0;
  const char* const end = range.data() + range.size();
  const auto [stop, error] = std::from_chars(range.data() + kPrefix.size(), end, last);
  if (error != std::errc{} || stop != end || last == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  return last + 1;
}

// Behind some proxies a 308 arrives as a 200 with a header:
// https://cloud.google.com/storage/docs/json_api/v1/parameters#xguploaderno308
int StatusOf(const HttpResponse& response) {
  const std::string_view text = FindHeader(response.headers, "x-http-status-code-override");
  int status = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), status);
  const bool is_number = !text.empty() && error == std::errc{} && end == text.data() + text.size();
  return is_number ? status : response.status;
}

}  // namespace

bool IsSessionUri(std::string_view uri, std::string_view endpoint) {
  const auto parsed = ParseUrl(uri);
  // Otherwise the object's bytes would be sent unencrypted.
  return parsed && (parsed->is_https || !endpoint.starts_with("https://"));
}

Result<std::string> SessionUri(const HttpResponse& started, std::string_view endpoint) {
  const auto location = SingleHeader(started.headers, "location");
  if (!location) return location.error();
  if (location->empty()) return Error{ErrorCode::kBadResponse, "the upload session has no Location"};
  if (IsSessionUri(*location, endpoint)) return std::string(*location);
  return Error{ErrorCode::kBadResponse, "the upload session's Location is no URL that bytes could be sent to"};
}

ResumableUpload ResumableUpload::Resumed(ObjectName object, std::string session_uri, std::uint64_t persisted) {
  ResumableUpload upload(std::move(object), std::move(session_uri));
  upload.persisted_ = persisted;
  upload.sent_ = std::numeric_limits<std::uint64_t>::max();
  upload.must_query_ = true;
  return upload;
}

HttpRequest ResumableUpload::Next(std::span<const std::byte> unsent, bool is_last, std::uint32_t crc32c) {
  is_question_ = must_query_;
  if (is_last) total_ = persisted_ + unsent.size();
  const std::string total = is_last ? std::to_string(*total_) : "*";
  HttpRequest request{.method = Method::kPut, .url = session_uri_, .is_url_secret = true, .is_invisible = !is_last};
  if (must_query_ || unsent.empty()) {
    // For a whole object "*/total" is both a valid query and a valid end of an upload that is complete.
    request.headers.emplace_back("Content-Range", "bytes */" + total);
  } else {
    const std::uint64_t last = persisted_ + unsent.size() - 1;
    request.headers.emplace_back("Content-Range",
                                 "bytes " + std::to_string(persisted_) + "-" + std::to_string(last) + "/" + total);
    request.payload = unsent;
    sent_ = std::max(sent_, last + 1);
  }
  if (is_last) request.headers.emplace_back("x-goog-hash", "crc32c=" + Crc32cToBase64(crc32c));
  return request;
}

Result<void> ResumableUpload::OnResponse(const HttpResponse& response) {
  const int status = StatusOf(response);
  if (status != response.status) {
    HttpResponse meant = response;
    meant.status = status;
    return OnResponse(meant);
  }
  if (status == 308) return OnIncomplete(response);
  if (status == 200 || status == 201) return OnComplete(response);
  must_query_ = true;
  has_doubts_ = false;
  Error error = ErrorFromResponse(response);
  // 499: another client has cancelled it. A 410 can be a rate limit; then its code says so.
  if (error.code == ErrorCode::kNotFound || status == 499) error.code = ErrorCode::kSessionLost;
  return error;
}

Result<void> ResumableUpload::OnComplete(const HttpResponse& response) {
  auto object = ParseObject(response.body, {object_name_});
  if (!object) return Doubt(object.error());
  if (total_ && object->size != *total_) {
    return Doubt({ErrorCode::kBadResponse, "the session was completed with " + std::to_string(object->size) +
                                               " bytes, and " + std::to_string(*total_) + " were sent"});
  }
  if (object->size < persisted_ || object->size > sent_) {
    return Error{ErrorCode::kSessionLost, "the session was completed with " + std::to_string(object->size) +
                                              " bytes, which are not those that were sent"};
  }
  persisted_ = object->size;
  object_ = *std::move(object);
  is_object_asked_for_ = is_question_;
  must_query_ = false;
  has_doubts_ = false;
  return {};
}

Result<void> ResumableUpload::OnIncomplete(const HttpResponse& response) {
  const auto range = SingleHeader(response.headers, "range");
  const auto persisted = range ? PersistedBytes(*range) : std::nullopt;
  if (!persisted) return Doubt({ErrorCode::kBadResponse, "308 with a Range that cannot be read", 308});
  // In production, a 308 without Range also happens about once in millions of uploads.
  if (*persisted < persisted_) {
    return Doubt({ErrorCode::kSessionLost, "the session no longer holds bytes that it had acknowledged", 308});
  }
  if (*persisted > sent_) return Doubt({ErrorCode::kSessionLost, "the session claims bytes that were never sent", 308});
  const bool is_news = *persisted > persisted_ || must_query_;
  persisted_ = *persisted;
  has_doubts_ = false;
  must_query_ = !is_news;
  // A chunk brought no progress: query the status before the same bytes are sent again.
  if (!is_news) return Error{ErrorCode::kUnavailable, "308 that persisted nothing", 308};
  return {};
}

// If it can be an error of one answer, ask again.
Result<void> ResumableUpload::Doubt(Error error) {
  must_query_ = true;
  if (!std::exchange(has_doubts_, true)) error.code = ErrorCode::kUnavailable;
  return error;
}

HttpRequest ResumableUpload::CancelRequest() const {
  return {.method = Method::kDelete, .url = session_uri_, .is_url_secret = true, .is_invisible = true};
}

}  // namespace gcsflux::internal
