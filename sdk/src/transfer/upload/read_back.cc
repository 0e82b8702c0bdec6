#include "transfer/upload/read_back.h"

#include "base/text/http_date.h"
#include "wire/metadata_json.h"
#include "wire/object_requests.h"

namespace gcsflux::internal {
namespace {

LiveObject Judge(const ObjectMetadata& found, const OpenWrite& write, const HttpResponse& response,
                 Timing::TimePoint now) {
  const bool has_attributes = !write.checks_attributes || HasAttributes(found, write.insert.attributes);
  const auto date = ParseHttpDate(FindHeader(response.headers, "date"));
  return {.generation = found.generation,
          .is_ours = HasBytes(found, write.sent) && has_attributes,
          .is_older = IsCertainlyOlder(found.time_created, date, now - write.first_attempt)};
}

// Nothing if no object is live.
Result<std::optional<HttpResponse>> GetLive(const ClientCore& core, const ObjectName& object,
                                            const ObjectOptions& options, const std::string& id, Attempts& attempts) {
  const auto response = core.Send({GetObjectRequest(core.endpoint(), object, options), id, attempts});
  if (response) return std::optional(*response);
  if (response.error().http_status == 404) return std::optional<HttpResponse>();
  // If an object has another key, or none, GCS shows nothing of it to a request with this key.
  const bool is_of_other_key = response.error().http_status == 400 && options.encryption_key;
  if (is_of_other_key) return GetLive(core, object, {.call = options.call}, id, attempts);
  return response.error();
}

}  // namespace

bool HasBytes(const ObjectMetadata& found, const SentObject& sent) {
  return found.size == sent.size && found.crc32c == sent.crc32c;
}

bool HasAttributes(const ObjectMetadata& found, const ObjectAttributes& attributes) {
  const auto in_milliseconds = [](const std::optional<std::chrono::system_clock::time_point>& time) {
    return time ? std::optional(std::chrono::time_point_cast<std::chrono::milliseconds>(*time)) : std::nullopt;
  };
  const bool has_class = attributes.storage_class.empty() || found.storage_class == attributes.storage_class;
  return has_class && found.content_type == attributes.content_type &&
         found.content_encoding == attributes.content_encoding &&
         found.content_disposition == attributes.content_disposition &&
         found.content_language == attributes.content_language && found.cache_control == attributes.cache_control &&
         in_milliseconds(found.custom_time) == in_milliseconds(attributes.custom_time) &&
         found.metadata == attributes.metadata;
}

Result<ReadBackResult> ReadBack(const ClientCore& core, const OpenWrite& write, const std::string& id,
                                Attempts& attempts) {
  const auto response = GetLive(
      core, write.object, {.encryption_key = write.insert.encryption_key, .call = write.insert.call}, id, attempts);
  if (!response) return response.error();
  if (!*response) return ReadBackResult{.step = AfterReadBack({}, write.guard)};
  auto found = ParseObject((*response)->body, {write.object});
  if (!found) return found.error();
  const LiveObject live = Judge(*found, write, **response, attempts.now());
  const WriteGuard& guard = write.guard;
  const bool fails_each_attempt = guard.generation && !guard.is_own && live.generation != *guard.generation;
  if (live.is_older && fails_each_attempt) attempts.SetMayBeStored(false);
  return ReadBackResult{.step = AfterReadBack(live, write.guard), .live = *std::move(found)};
}

Error OutcomeUnknown(const ReadBackResult& look) {
  const std::string live = look.live
                               ? "another object, generation " + std::to_string(look.live->generation) + ", is live"
                               : std::string("no object is live");
  return Error{.code = ErrorCode::kOutcomeUnknown,
               .message = "an attempt whose answer was lost may have been stored and replaced since: " + live +
                          "; nothing more was sent",
               .outcome = WriteOutcome::kUnknown};
}

}  // namespace gcsflux::internal
