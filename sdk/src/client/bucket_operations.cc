// Client's methods on buckets.
#include <algorithm>
#include <string>
#include <tuple>
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

namespace {

Result<void> CheckTaken(Operation operation, const BucketOptions& options) {
  const Preconditions& conditions = options.preconditions;
  const bool has_conditions = conditions.if_metageneration_match || conditions.if_metageneration_not_match;
  const bool is_insert = operation == Operation::kInsertBucket;
  const std::tuple<const char*, bool, bool> members[] = {
      {"location", !options.location.empty(), is_insert},
      {"storage_class", !options.storage_class.empty(), is_insert},
      {"soft_delete_retention", options.soft_delete_retention.has_value(), is_insert},
      {"hierarchical_namespace", options.hierarchical_namespace, is_insert},
      {"prefix", !options.prefix.empty(), operation == Operation::kListBuckets},
      {"preconditions", has_conditions, operation == Operation::kGetBucket || operation == Operation::kDeleteBucket},
      {"preconditions on a generation", conditions.if_generation_match || conditions.if_generation_not_match, false}};
  for (const auto& [name, is_set, is_taken] : members) {
    if (is_set && !is_taken) return Error{ErrorCode::kInvalidArgument, "the call takes no " + std::string(name)};
  }
  return {};
}

// Checks what all calls on one bucket have in common.
Result<void> CheckBucketCall(const internal::Call& call, Operation operation, const BucketOptions& options) {
  if (auto checked = CheckBucketName(call.bucket); !checked) return checked;
  if (auto checked = CheckTaken(operation, options); !checked) return InCall(call, checked.error());
  return {};
}

}  // namespace

Result<BucketMetadata> Client::InsertBucket(const std::string& bucket, const BucketOptions& options) const {
  const auto call = MakeCall(core(), Operation::kInsertBucket, {bucket}, options);
  if (auto checked = CheckBucketCall(call, Operation::kInsertBucket, options); !checked) return checked.error();
  if (!internal::IsUtf8(options.location) || !internal::IsUtf8(options.storage_class))
    return InCall(call, {ErrorCode::kInvalidArgument, "the location or storage class is not UTF-8"});
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

Result<BucketMetadata> Client::GetBucket(const std::string& bucket, const BucketOptions& options) const {
  const auto call = MakeCall(core(), Operation::kGetBucket, {bucket}, options);
  if (auto checked = CheckBucketCall(call, Operation::kGetBucket, options); !checked) return checked.error();
  const auto request = internal::GetBucketRequest(core().endpoint(), bucket, options);
  return ParseAnswer(call, core().Exchange(call, request),
                     [&](std::string_view body) { return internal::ParseBucket(body, bucket); });
}

Result<std::vector<BucketMetadata>> Client::ListBuckets(const BucketOptions& options) const {
  const std::string& project = core().settings().project;
  auto call = MakeCall(core(), Operation::kListBuckets, {}, options);
  call.subject = "of project '" + project + "'";
  if (auto checked = CheckTaken(Operation::kListBuckets, options); !checked) return InCall(call, checked.error());
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

Result<void> Client::DeleteBucket(const std::string& bucket, const BucketOptions& options) const {
  const auto call = MakeCall(core(), Operation::kDeleteBucket, {bucket}, options);
  if (auto checked = CheckBucketCall(call, Operation::kDeleteBucket, options); !checked) return checked;
  return ExchangeDelete(core(), call, internal::DeleteBucketRequest(core().endpoint(), bucket, options),
                        ErrorCode::kBucketNotEmpty);
}

Result<std::vector<std::string>> Client::TestBucketPermissions(const std::string& bucket,
                                                               const std::vector<std::string>& permissions,
                                                               const BucketOptions& options) const {
  const auto call = MakeCall(core(), Operation::kTestBucketPermissions, {bucket}, options);
  if (auto checked = CheckBucketCall(call, Operation::kTestBucketPermissions, options); !checked)
    return checked.error();
  const auto request = internal::TestBucketPermissionsRequest(core().endpoint(), bucket, permissions, options);
  return ParseAnswer(call, core().Exchange(call, request), internal::ParsePermissions);
}

}  // namespace gcsflux
