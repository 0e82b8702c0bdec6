#include "wire/resumable_upload.h"

#include <charconv>

#include "base/base64.h"
#include "wire/error_response.h"
#include "wire/metadata_json.h"

namespace gcsflux::internal {
namespace {

// "bytes=0-N" tells N + 1 bytes; no header tells none; anything else nothing.
std::optional<std::uint64_t> PersistedBytes(std::string_view range) {
  constexpr std::string_view kPrefix = "bytes=0-";
  if (range.empty()) return 0;
  if (!range.starts_with(kPrefix)) return std::nullopt;
  std::uint64_t last = 0;
  const char* const end = range.data() + range.size();
  const auto [stop, error] = std::from_chars(range.data() + kPrefix.size(), end, last);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return last + 1;
}

}  // namespace

HttpRequest ResumableUpload::Next(std::span<const std::byte> unsent, bool is_last, std::uint32_t crc32c) const {
  const std::string total = is_last ? std::to_string(persisted_ + unsent.size()) : "*";
  HttpRequest request{.method = Method::kPut, .url = session_uri_, .is_url_secret = true};
  if (must_query_ || unsent.empty()) {
    // Of a whole object "*/total" is right both as a query and as the end of an upload that holds everything.
    request.headers.emplace_back("Content-Range", "bytes */" + total);
  } else {
    const std::uint64_t last = persisted_ + unsent.size() - 1;
    request.headers.emplace_back("Content-Range",
                                 "bytes " + std::to_string(persisted_) + "-" + std::to_string(last) + "/" + total);
    request.payload = unsent;
  }
  if (is_last) request.headers.emplace_back("x-goog-hash", "crc32c=" + Crc32cToBase64(crc32c));
  return request;
}

Result<void> ResumableUpload::OnResponse(const HttpResponse& response) {
  if (response.status == 308) return OnIncomplete(response);
  if (response.status == 200 || response.status == 201) {
    auto object = ParseObject(response.body);
    if (!object) {
      must_query_ = true;
      return object.error();
    }
    object_ = *std::move(object);
    return {};
  }
  must_query_ = true;
  Error error = ErrorFromResponse(response);
  if (response.status == 404 || response.status == 410) error.code = ErrorCode::kSessionLost;
  return error;
}

Result<void> ResumableUpload::OnIncomplete(const HttpResponse& response) {
  const auto persisted = PersistedBytes(FindHeader(response.headers, "range"));
  const bool was_query = must_query_;
  must_query_ = true;
  if (!persisted) return Error{ErrorCode::kBadResponse, "308 with a Range that cannot be read", 308};
  if (*persisted < persisted_) {
    // A 308 without Range also happens in production about once in millions of uploads: ask again before giving up.
    if (!was_query) return Error{ErrorCode::kUnavailable, "308 that forgets bytes already persisted", 308};
    return Error{ErrorCode::kSessionLost, "the session no longer holds bytes that it had acknowledged", 308};
  }
  // Nothing new after a chunk: find out why before the same bytes are sent again.
  if (*persisted == persisted_ && !was_query) return Error{ErrorCode::kUnavailable, "308 that persisted nothing", 308};
  persisted_ = *persisted;
  must_query_ = false;
  return {};
}

HttpRequest ResumableUpload::CancelRequest() const {
  return {.method = Method::kDelete, .url = session_uri_, .is_url_secret = true};
}

}  // namespace gcsflux::internal
