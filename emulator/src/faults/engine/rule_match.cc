#include "faults/engine/rule_match.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "faults/tools/upload_filter.h"
#include "http/byte_range.h"
#include "http/content_range.h"

namespace gcsflux::emulator {
namespace {

// A read without a valid range covers all bytes.
CoveredBytes CoveredByRange(const std::string* header) {
  if (header == nullptr) return {};
  // Larger than any object, so a suffix range contains no byte that a rule names.
  const RangeRequest range = ParseRange(*header, INT64_MAX);
  if (range.kind != RangeRequest::Kind::kPart) return {};
  return {range.offset, range.offset + range.length};
}

std::uint64_t ContentLength(const HttpRequest& request) {
  const std::string* header = request.headers.Find("content-length");
  std::uint64_t length = UINT64_MAX;  // chunked
  if (header != nullptr) std::from_chars(header->data(), header->data() + header->size(), length);
  return length;
}

CoveredBytes CoveredByUpload(const HttpRequest& request, const RequestPreview& preview) {
  const std::uint64_t length = ContentLength(request);
  const std::string* header = request.headers.Find("content-range");
  const auto range = header != nullptr ? ParseContentRange(*header) : std::nullopt;
  if (IsSessionChunk(preview) && range && range->bytes) {
    const auto& [first, last] = *range->bytes;
    return {first, last ? *last + 1 : range->total.value_or(UINT64_MAX)};
  }
  // The last few bytes of a multipart body are not bytes of the object. How many, only its end tells.
  const std::uint64_t skipped = preview.media_offset;
  return {0, length == UINT64_MAX ? length : length - (length < skipped ? length : skipped)};
}

bool Is(const std::optional<std::string>& wanted, std::string_view value) { return !wanted || *wanted == value; }

}  // namespace

std::optional<CoveredBytes> CoveredBy(const HttpRequest& request, const RequestPreview& preview) {
  if (preview.is_media_read) return CoveredByRange(request.headers.Find("range"));
  if (CarriesObjectBytes(preview)) return CoveredByUpload(request, preview);
  return std::nullopt;
}

RuleMatch::RuleMatch(FaultMatch match) : match_(std::move(match)) {
  if (match_.object_glob) glob_ = *Glob::Parse(*match_.object_glob);
}

bool RuleMatch::Concerns(const MatchedRequest& request) const {
  const RequestSubject& subject = request.subject;
  if (!Is(match_.operation, subject.operation) || !Is(match_.phase, subject.phase)) return false;
  if (!Is(match_.method, request.method) || !Is(match_.bucket, subject.bucket)) return false;
  if (match_.attempt && *match_.attempt != static_cast<std::uint64_t>(request.attempt)) return false;
  if (match_.covers_byte) {
    if (!request.covered) return false;
    if (*match_.covers_byte < request.covered->first || *match_.covers_byte >= request.covered->end) return false;
  }
  return ConcernsAny(request);
}

// A deletion of several objects concerns each of them.
bool RuleMatch::ConcernsAny(const MatchedRequest& request) const {
  return ConcernsObject(request.subject.object) ||
         std::any_of(request.deleted.begin(), request.deleted.end(),
                     [this](const std::string& name) { return ConcernsObject(name); });
}

bool RuleMatch::ConcernsObject(std::string_view name) const {
  if (!match_.object_prefix && !glob_) return true;
  if (name.empty()) return false;
  return (!match_.object_prefix || name.starts_with(*match_.object_prefix)) && (!glob_ || glob_->Matches(name));
}

bool RuleMatch::Chooses(std::uint64_t number, double chance) const {
  if (match_.nth && number != *match_.nth) return false;
  if (match_.every && number % *match_.every != 0) return false;
  return !match_.probability || chance < *match_.probability;
}

}  // namespace gcsflux::emulator
