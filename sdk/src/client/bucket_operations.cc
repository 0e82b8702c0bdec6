// Client's methods on buckets.
#include <algorithm>
#include <utility>

#include "base/object_name.h"
#include "base/text/utf8.h"
#include "client/operation_calls.h"
#include "gcsflux/client.h"
#include "wire/bucket_requests.h"
#include "wire/listed_names.h"
#include "wire/metadata_json.h"
#include "wire/page_tokens.h"

namespace gcsflux {

using internal::Attempts;
using internal::CheckBucketName;
using internal::InCall;
using internal::MakeCall;
using internal::Operation;
using internal::ParseAnswer;

Result<BucketMetadata> Client::InsertBucket(const std::string& bucket, const InsertBucketOptions& options) const {
  if (auto checked = CheckBucketName(bucket); !checked) return checked.error();
  const auto call = MakeCall(core(), Operation::kInsertBucket, {bucket}, options);
  if (!internal::IsUtf8(options.location))
    return InCall(call, {ErrorCode::kInvalidArgument, "the location is not UTF-8"});
  const auto request = internal::InsertBucketRequest(core().endpoint(), core().settings().project, bucket, options);
  const std::string id = core().NewInvocationId();
  const auto response = core().Retry(call, [&](Attempts& attempts) {
    auto answer = core().Send({request, id, attempts});
    // An earlier attempt of this call has probably made the bucket that exists.
    if (!answer && answer.error().http_status == 409 && attempts.was_ambiguous()) {
      const auto look = internal::GetBucketRequest(core().endpoint(), bucket, {.call = options.call});
      return core().Send({look, id, attempts});
    }
    return answer;
  });
  return ParseAnswer(call, response, [&](std::string_view body) { return internal::ParseBucket(body, bucket); });
}

Result<BucketMetadata> Client::GetBucket(const std::string& bucket, const GetBucketOptions& options) const {
  if (auto checked = CheckBucketName(bucket); !checked) return checked.error();
  const auto call = MakeCall(core(), Operation::kGetBucket, {bucket}, options);
  const auto request = internal::GetBucketRequest(core().endpoint(), bucket, options);
  return ParseAnswer(call, core().Exchange(call, request),
                     [&](std::string_view body) { return internal::ParseBucket(body, bucket); });
}

Result<std::vector<BucketMetadata>> Client::ListBuckets(const ListBucketsOptions& options) const {
  const std::string& project = core().settings().project;
  auto call = MakeCall(core(), Operation::kListBuckets, {}, options);
  call.subject = "of project '" + project + "'";
  std::vector<BucketMetadata> buckets;
  std::string page_token;
  std::string last_name;
  internal::PageTokens tokens;
  do {
    const auto request = internal::ListBucketsRequest(core().endpoint(), project, options, page_token);
    auto page = ParseAnswer(call, core().Exchange(call, request), internal::ParseBucketPage);
    if (!page) return page.error();
    bool is_barren = true;
    for (BucketMetadata& bucket : page->buckets) {
      if (auto checked = internal::CheckIsUnder(bucket.name, options.prefix); !checked) {
        return InCall(call, checked.error());
      }
      is_barren = is_barren && !last_name.empty() && bucket.name <= last_name;
      last_name = std::max(last_name, bucket.name);
      buckets.push_back(std::move(bucket));
    }
    page_token = std::move(page->next_page_token);
    if (auto checked = tokens.Take(page_token, is_barren); !checked) return InCall(call, checked.error());
  } while (!page_token.empty());
  return buckets;
}

Result<void> Client::DeleteBucket(const std::string& bucket, const DeleteBucketOptions& options) const {
  if (auto checked = CheckBucketName(bucket); !checked) return checked;
  const auto call = MakeCall(core(), Operation::kDeleteBucket, {bucket}, options);
  return ExchangeDelete(core(), call, internal::DeleteBucketRequest(core().endpoint(), bucket, options),
                        ErrorCode::kBucketNotEmpty);
}

Result<std::vector<std::string>> Client::TestBucketPermissions(const std::string& bucket,
                                                               const std::vector<std::string>& permissions,
                                                               const TestBucketPermissionsOptions& options) const {
  if (auto checked = CheckBucketName(bucket); !checked) return checked.error();
  const auto call = MakeCall(core(), Operation::kTestBucketPermissions, {bucket}, options);
  const auto request = internal::TestBucketPermissionsRequest(core().endpoint(), bucket, permissions, options);
  return ParseAnswer(call, core().Exchange(call, request), internal::ParsePermissions);
}

}  // namespace gcsflux
