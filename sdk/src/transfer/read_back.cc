#include "transfer/read_back.h"

#include "wire/metadata_json.h"
#include "wire/object_requests.h"

namespace gcsflux::internal {

bool HasBytes(const ObjectMetadata& found, const SentObject& sent) {
  return found.size == sent.size && found.crc32c == sent.crc32c;
}

bool HasAttributes(const ObjectMetadata& found, const ObjectAttributes& attributes) {
  return found.content_type == attributes.content_type && found.content_encoding == attributes.content_encoding &&
         found.metadata == attributes.metadata;
}

Result<std::optional<ObjectMetadata>> ReadBack(const ClientCore& core, const ObjectName& object,
                                               const InsertObjectOptions& insert, const std::string& id,
                                               Attempts& attempts) {
  const auto request =
      GetObjectRequest(core.endpoint(), object, {.encryption_key = insert.encryption_key, .call = insert.call});
  const auto response = core.Send(request, id, attempts, attempts.call().stop);
  if (!response && response.error().http_status == 404) return std::optional<ObjectMetadata>();
  // GCS shows nothing of an object under another key, or under none, to who shows this one.
  const bool is_of_other_key = !response && response.error().http_status == 400 && insert.encryption_key;
  if (is_of_other_key) return ReadBack(core, object, {.call = insert.call}, id, attempts);
  if (!response) return response.error();
  auto found = ParseObject(response->body);
  if (!found) return found.error();
  return std::optional<ObjectMetadata>(*std::move(found));
}

}  // namespace gcsflux::internal
