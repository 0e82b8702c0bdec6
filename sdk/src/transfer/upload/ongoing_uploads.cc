#include <iterator>
#include <utility>

#include "base/object_name.h"
#include "client/operation_calls.h"
#include "transfer/upload/multipart_upload.h"
#include "wire/multipart_answers.h"
#include "wire/multipart_requests.h"
#include "wire/page_tokens.h"

namespace gcsflux {

using internal::Call;

Result<std::vector<OngoingUpload>> ListMultipartUploads(const Client& client, const ObjectName& prefix,
                                                        const OngoingUploadOptions& options) {
  if (auto checked = internal::CheckBucketName(prefix.bucket); !checked) return checked.error();
  const Call call{.operation = "multipartUploads.list",
                  .subject = ToUri(prefix),
                  .kind = internal::OperationKind::kList,
                  .bucket = prefix.bucket,
                  .is_idempotent = true,
                  .retry = options.call.retry,
                  .stop = options.stop};
  const ClientCore& core = CoreOf(client);
  const internal::UploadsTarget target{core.endpoint(), prefix.bucket, prefix.name, options.call};
  std::vector<OngoingUpload> uploads;
  internal::PageTokens pages;
  for (std::optional<internal::UploadsMarker> after = internal::UploadsMarker(); after;) {
    const auto response = core.Exchange(call, internal::ListUploadsRequest(target, *after));
    if (!response) return response.error();
    auto page = internal::ParseUploadsPage(response->body, prefix.bucket);
    if (!page) return internal::InCall(call, page.error());
    for (const OngoingUpload& upload : page->uploads) {
      if (auto checked = internal::CheckIsUnder(upload.object.name, prefix.name); !checked) {
        return internal::InCall(call, checked.error());
      }
    }
    if (page->next && page->next->key < after->key) {
      return internal::InCall(call, {ErrorCode::kBadResponse, "the service's next page of uploads is one before it"});
    }
    const std::string next = page->next ? page->next->key + '\0' + page->next->upload_id : std::string();
    if (auto checked = pages.Take(next, /*is_barren=*/false); !checked) {
      return internal::InCall(call, checked.error());
    }
    uploads.insert(uploads.end(), std::make_move_iterator(page->uploads.begin()),
                   std::make_move_iterator(page->uploads.end()));
    after = std::move(page->next);
  }
  return uploads;
}

Result<void> AbortMultipartUpload(const Client& client, const OngoingUpload& upload,
                                  const OngoingUploadOptions& options) {
  if (auto checked = internal::CheckObject(upload.object); !checked) return checked;
  const MultipartOptions of_upload{.call = options.call, .stop = options.stop};
  const Call call{.operation = "multipartUploads.abort",
                  .subject = ToUri(upload.object),
                  .kind = internal::OperationKind::kWriteMetadata,
                  .bucket = upload.object.bucket,
                  .is_idempotent = true,  // The id of an upload is never used again.
                  .retry = options.call.retry,
                  .stop = options.stop};
  const auto response = CoreOf(client).Exchange(
      call, internal::AbortMultipartRequest({CoreOf(client).endpoint(), upload.object, upload.upload_id, of_upload}));
  if (!response && response.error().http_status == 404) return {};
  return internal::ParseAnswer(call, response, internal::ParseNothing);
}

}  // namespace gcsflux
