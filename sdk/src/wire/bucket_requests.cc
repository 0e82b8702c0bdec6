#include "wire/bucket_requests.h"

#include <nlohmann/json.hpp>

#include "wire/object_resource.h"
#include "wire/request_url.h"

namespace gcsflux::internal {
namespace {

// All fields if none is requested.
std::string BucketFields(const std::string& asked) { return asked.empty() ? "" : "name," + asked; }

}  // namespace

HttpRequest InsertBucketRequest(std::string_view endpoint, std::string_view project, std::string_view bucket,
                                const BucketOptions& options) {
  nlohmann::json resource = {{"name", bucket}};
  if (!options.location.empty()) resource["location"] = options.location;
  if (!options.storage_class.empty()) resource["storageClass"] = options.storage_class;
  if (options.soft_delete_retention) {
    const std::string seconds = std::to_string(options.soft_delete_retention->count());
    resource["softDeletePolicy"] = {{"retentionDurationSeconds", seconds}};
  }
  if (options.hierarchical_namespace) {
    resource["hierarchicalNamespace"] = {{"enabled", true}};
    // Required with it: https://cloud.google.com/storage/docs/hns-overview
    resource["iamConfiguration"] = {{"uniformBucketLevelAccess", {{"enabled", true}}}};
  }
  return JsonRequest(Method::kPost,
                     *RequestUrl(endpoint, "/storage/v1/b")
                          .Query("project", project)
                          .Query("fields", BucketFields(options.fields))
                          .Query(options.call),
                     resource);
}

HttpRequest GetBucketRequest(std::string_view endpoint, std::string_view bucket, const BucketOptions& options) {
  return {.url = *RequestUrl::OfBucket(endpoint, bucket)
                      .Query("fields", BucketFields(options.fields))
                      .Query(options.preconditions)
                      .Query(options.call)};
}

HttpRequest GetDefaultAclRequest(std::string_view endpoint, std::string_view bucket, const BucketOptions& options) {
  return {.url = *RequestUrl::OfBucket(endpoint, bucket)
                      .Query("projection", "full")
                      .Query("fields", "name,defaultObjectAcl")
                      .Query(options.call)};
}

HttpRequest ListNotificationsRequest(std::string_view endpoint, std::string_view bucket, const BucketOptions& options) {
  return {.url = *RequestUrl::OfBucket(endpoint, bucket).Literal("/notificationConfigs").Query(options.call)};
}

HttpRequest ListBucketsRequest(std::string_view endpoint, std::string_view project, const BucketOptions& options,
                               std::string_view page_token) {
  const std::string fields = options.fields.empty() ? "" : "nextPageToken,items(" + BucketFields(options.fields) + ")";
  return {.url = *RequestUrl(endpoint, "/storage/v1/b")
                      .Query("project", project)
                      .Query("prefix", options.prefix)
                      .Query("pageToken", page_token)
                      .Query("fields", fields)
                      .Query(options.call)};
}

HttpRequest DeleteBucketRequest(std::string_view endpoint, std::string_view bucket, const BucketOptions& options) {
  return {.method = Method::kDelete,
          .url = *RequestUrl::OfBucket(endpoint, bucket).Query(options.preconditions).Query(options.call)};
}

HttpRequest TestBucketPermissionsRequest(std::string_view endpoint, std::string_view bucket,
                                         const std::vector<std::string>& permissions, const BucketOptions& options) {
  return {.url = *RequestUrl::OfBucket(endpoint, bucket)
                      .Literal("/iam/testPermissions")
                      .Query("permissions", permissions)
                      .Query(options.call)};
}

}  // namespace gcsflux::internal
