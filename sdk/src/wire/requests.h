#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"
#include "http/transport.h"

// Every request of the JSON API that the client sends, as a value: https://cloud.google.com/storage/docs/json_api/v1
// Whether it is idempotent follows from its preconditions: https://cloud.google.com/storage/docs/retry-strategy
namespace gcsflux::internal {

HttpRequest InsertBucketRequest(std::string_view endpoint, std::string_view project, std::string_view bucket,
                                const InsertBucketOptions& options);
HttpRequest GetBucketRequest(std::string_view endpoint, std::string_view bucket);
HttpRequest ListBucketsRequest(std::string_view endpoint, std::string_view project, const ListBucketsOptions& options,
                               std::string_view page_token);
HttpRequest DeleteBucketRequest(std::string_view endpoint, std::string_view bucket);

/// One multipart/related message: the metadata with the data's CRC32C, then the data, which is borrowed.
HttpRequest InsertObjectRequest(std::string_view endpoint, const ObjectName& object, std::span<const std::byte> data,
                                std::uint32_t crc32c, const InsertObjectOptions& options);
/// The start of a resumable upload of unknown length.
HttpRequest StartUploadRequest(std::string_view endpoint, const ObjectName& object, const InsertObjectOptions& options);

HttpRequest GetObjectRequest(std::string_view endpoint, const ObjectName& object, const GetObjectOptions& options);

/// `skip` bytes of the range were delivered before; `generation` pins the one that they were of.
HttpRequest ReadObjectRequest(std::string_view endpoint, const ObjectName& object, const ReadObjectOptions& options,
                              std::uint64_t skip, std::optional<std::int64_t> generation);
HttpRequest ListObjectsRequest(std::string_view endpoint, std::string_view bucket, const ListObjectsOptions& options);
HttpRequest ComposeObjectsRequest(std::string_view endpoint, const std::vector<ComposeSource>& sources,
                                  const ObjectName& destination, const ComposeObjectsOptions& options);
HttpRequest DeleteObjectRequest(std::string_view endpoint, const ObjectName& object,
                                const DeleteObjectOptions& options);

}  // namespace gcsflux::internal
