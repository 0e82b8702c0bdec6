#include <utility>

#include "base/crc32c.h"
#include "base/object_name.h"
#include "client/client_core.h"
#include "gcsflux/upload.h"
#include "transfer/upload_conditions.h"
#include "wire/insert_requests.h"
#include "wire/metadata_json.h"
#include "wire/object_requests.h"

namespace gcsflux {
namespace {

using internal::Attempts;
using internal::Call;

// What this call sends, to be recognised when it is read back.
struct Sent {
  std::uint64_t size;
  std::uint32_t crc32c;
  const UploadOptions& options;
};

bool IsWhatWasSent(const ObjectMetadata& found, const Sent& sent) {
  return found.size == sent.size && found.crc32c == sent.crc32c &&
         found.content_type == sent.options.attributes.content_type &&
         found.metadata == sent.options.attributes.metadata;
}

// One object in one request, with its attempts. An attempt whose acknowledgement may have been lost is resolved by
// reading the object back, before anything is sent again.
class SingleRequestUpload {
 public:
  SingleRequestUpload(const ClientCore& core, const ObjectName& object, std::span<const std::byte> data,
                      const UploadOptions& options)
      : core_(core),
        object_(object),
        data_(data),
        sent_{data.size(), internal::ExtendCrc32c(0, data), options},
        insert_(internal::FirstAttempt(options)),
        id_(core.NewInvocationId()) {}

  Result<ObjectMetadata> Attempt(Attempts& attempts) {
    if (attempts.was_ambiguous()) {
      auto found = ReadBack(attempts);
      if (!found) return found.error();
      if (*found && IsWhatWasSent(**found, sent_)) return **std::move(found);
      if (sent_.options.mode == WriteMode::kOverwrite)
        insert_.preconditions.if_generation_match = *found ? (*found)->generation : 0;
    }
    auto stored = Insert(attempts);
    const bool is_lost_race =
        !stored && stored.error().code == ErrorCode::kPreconditionFailed && sent_.options.mode == WriteMode::kOverwrite;
    // Between the read-back and now somebody wrote. An overwrite may replace that too, after another look.
    if (is_lost_race) return Error{ErrorCode::kUnavailable, stored.error().message, 412, stored.error().reason};
    return stored;
  }

 private:
  Result<ObjectMetadata> Insert(Attempts& attempts) {
    const auto request = internal::InsertObjectRequest(core_.endpoint(), object_, data_, sent_.crc32c, insert_);
    const auto response = core_.Send(request, id_, attempts, sent_.options.stop);
    if (!response) return response.error();
    auto stored = internal::ParseObject(response->body);
    if (stored && stored->crc32c && *stored->crc32c != sent_.crc32c) {
      return Error{ErrorCode::kCorrupted, "the service stored other bytes (crc32c)"};
    }
    return stored;
  }

  // The live object; nothing where there is none.
  Result<std::optional<ObjectMetadata>> ReadBack(Attempts& attempts) {
    const auto request = internal::GetObjectRequest(core_.endpoint(), object_, {.call = insert_.call});
    const auto response = core_.Send(request, id_, attempts, sent_.options.stop);
    if (!response && response.error().http_status == 404) return std::optional<ObjectMetadata>();
    if (!response) return response.error();
    auto found = internal::ParseObject(response->body);
    if (!found) return found.error();
    return std::optional<ObjectMetadata>(*std::move(found));
  }

  const ClientCore& core_;
  const ObjectName& object_;
  const std::span<const std::byte> data_;
  const Sent sent_;
  InsertObjectOptions insert_;
  const std::string id_;
};

}  // namespace

Result<ObjectMetadata> UploadObject(const Client& client, const ObjectName& object, std::span<const std::byte> data,
                                    const UploadOptions& options) {
  if (auto checked = internal::CheckObject(object); !checked) return checked.error();
  if (data.size() > options.chunk_bytes) {  // In chunks, so that a failure does not send all of it again.
    ObjectWriter writer(client, object, options);
    if (auto written = writer.Write(data); !written) return written.error();
    return writer.Close();
  }
  const Call call{.operation = "objects.insert",
                  .subject = ToUri(object),
                  .kind = internal::OperationKind::kUpload,
                  .bucket = object.bucket,
                  .is_idempotent = true,
                  .retry = options.call.retry,
                  .stop = options.stop};
  SingleRequestUpload upload(client.core(), object, data, options);
  return client.core().Retry(call, [&](Attempts& attempts) { return upload.Attempt(attempts); });
}

}  // namespace gcsflux
