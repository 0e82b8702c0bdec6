#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/operation_options.h"
#include "http/transport.h"

// Buckets' requests as values: https://cloud.google.com/storage/docs/json_api/v1/buckets
namespace gcsflux::internal {

HttpRequest InsertBucketRequest(std::string_view endpoint, std::string_view project, std::string_view bucket,
                                const BucketOptions& options);
HttpRequest GetBucketRequest(std::string_view endpoint, std::string_view bucket, const BucketOptions& options);
/// The bucket with its default object ACL.
HttpRequest GetDefaultAclRequest(std::string_view endpoint, std::string_view bucket, const BucketOptions& options);
HttpRequest ListNotificationsRequest(std::string_view endpoint, std::string_view bucket, const BucketOptions& options);
HttpRequest ListBucketsRequest(std::string_view endpoint, std::string_view project, const BucketOptions& options,
                               std::string_view page_token);
HttpRequest DeleteBucketRequest(std::string_view endpoint, std::string_view bucket, const BucketOptions& options);
HttpRequest TestBucketPermissionsRequest(std::string_view endpoint, std::string_view bucket,
                                         const std::vector<std::string>& permissions, const BucketOptions& options);

}  // namespace gcsflux::internal
