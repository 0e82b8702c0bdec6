// The SDK's calls about buckets.

#include <algorithm>

#include "retry_tests/sdk_call.h"

namespace gcsflux::conformance {
namespace {

const std::string kPermission = "storage.objects.get";

Result<void> GetBucket(const Client& client, Scene& scene) { return WithoutValue(client.GetBucket(scene.bucket)); }

Result<void> ListBuckets(const Client& client, Scene& scene) {
  const auto buckets = client.ListBuckets({.prefix = scene.bucket});
  if (!buckets.ok()) return buckets.error();
  const bool is_listed = std::any_of(buckets->begin(), buckets->end(),
                                     [&scene](const BucketMetadata& bucket) { return bucket.name == scene.bucket; });
  if (!is_listed) return Unexpected("the bucket is missing in the list");
  return {};
}

Result<void> InsertBucket(const Client& client, Scene& scene) {
  return WithoutValue(client.InsertBucket(scene.new_bucket));
}

std::string CheckBucketInserted(const Service& service, const Scene& scene) {
  return WhyNot(200, service, BucketTarget(scene.new_bucket));
}

Result<void> DeleteBucket(const Client& client, Scene& scene) { return client.DeleteBucket(scene.bucket); }

std::string CheckBucketDeleted(const Service& service, const Scene& scene) {
  return WhyNot(404, service, BucketTarget(scene.bucket));
}

Result<void> TestPermissions(const Client& client, Scene& scene) {
  const auto permissions = client.TestBucketPermissions(scene.bucket, {kPermission});
  if (!permissions.ok()) return permissions.error();
  if (*permissions != std::vector{kPermission}) return Unexpected("the permission is missing in the answer");
  return {};
}

constexpr SdkCall kBucketCalls[] = {
    {"storage.buckets.delete", "", "DeleteBucket", Repeatable::kAlways, &DeleteBucket, &CheckBucketDeleted},
    {"storage.buckets.get", "", "GetBucket", Repeatable::kAlways, &GetBucket, &NothingToCheck},
    {"storage.buckets.insert", "", "InsertBucket", Repeatable::kAlways, &InsertBucket, &CheckBucketInserted},
    {"storage.buckets.list", "", "ListBuckets", Repeatable::kAlways, &ListBuckets, &NothingToCheck},
    {"storage.buckets.testIamPermissions", "", "TestBucketPermissions", Repeatable::kAlways, &TestPermissions,
     &NothingToCheck},
};

}  // namespace

std::span<const SdkCall> BucketCalls() { return kBucketCalls; }

}  // namespace gcsflux::conformance
