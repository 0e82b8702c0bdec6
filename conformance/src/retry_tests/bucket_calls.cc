// The SDK's calls about buckets.

#include <algorithm>

#include "retry_tests/sdk_call.h"

namespace gcsflux::conformance {
namespace {

const std::string kPermission = "storage.objects.get";

Error Unexpected(const std::string& what) { return {.code = ErrorCode::kBadResponse, .message = what}; }

std::string NothingToCheck(const Service& /*service*/, const Scene& /*scene*/) { return ""; }

Result<void> Get(const Client& client, Scene& scene) { return WithoutValue(client.GetBucket(scene.bucket)); }

Result<void> List(const Client& client, Scene& scene) {
  const auto buckets = client.ListBuckets({.prefix = scene.bucket});
  if (!buckets.ok()) return buckets.error();
  const bool is_listed = std::any_of(buckets->begin(), buckets->end(),
                                     [&scene](const BucketMetadata& bucket) { return bucket.name == scene.bucket; });
  if (!is_listed) return Unexpected("the bucket is missing in the list");
  return {};
}

Result<void> Insert(const Client& client, Scene& scene) { return WithoutValue(client.InsertBucket(scene.new_bucket)); }

std::string CheckInserted(const Service& service, const Scene& scene) {
  return WhyNot(200, service, BucketTarget(scene.new_bucket));
}

Result<void> Delete(const Client& client, Scene& scene) { return client.DeleteBucket(scene.bucket); }

std::string CheckDeleted(const Service& service, const Scene& scene) {
  return WhyNot(404, service, BucketTarget(scene.bucket));
}

Result<void> TestPermissions(const Client& client, Scene& scene) {
  const auto permissions = client.TestBucketPermissions(scene.bucket, {kPermission});
  if (!permissions.ok()) return permissions.error();
  if (*permissions != std::vector{kPermission}) return Unexpected("the permission is missing in the answer");
  return {};
}

constexpr SdkCall kCalls[] = {
    {"storage.buckets.delete", "", "DeleteBucket", Repeatable::kAlways, &Delete, &CheckDeleted},
    {"storage.buckets.get", "", "GetBucket", Repeatable::kAlways, &Get, &NothingToCheck},
    {"storage.buckets.insert", "", "InsertBucket", Repeatable::kAlways, &Insert, &CheckInserted},
    {"storage.buckets.list", "", "ListBuckets", Repeatable::kAlways, &List, &NothingToCheck},
    {"storage.buckets.testIamPermissions", "", "TestBucketPermissions", Repeatable::kAlways, &TestPermissions,
     &NothingToCheck},
};

}  // namespace

std::span<const SdkCall> BucketCalls() { return kCalls; }

}  // namespace gcsflux::conformance
