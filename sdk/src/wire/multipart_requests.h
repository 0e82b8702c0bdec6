#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/transport.h"
#include "wire/multipart_types.h"

// The requests of an XML multipart upload: https://cloud.google.com/storage/docs/multipart-uploads
namespace gcsflux::internal {

/// An object's multipart upload at an endpoint; all of it is borrowed.
struct MultipartTarget {
  std::string_view endpoint;
  const ObjectName& object;
  std::string_view upload_id;
  const MultipartOptions& options;
};

/// Returns kInvalidArgument for attributes that a header cannot hold: control characters, characters beyond ASCII,
/// holds.
Result<HttpRequest> InitiateMultipartRequest(const MultipartTarget& target);
/// `data` is borrowed. The service refuses it if its CRC32C is another one.
HttpRequest PutPartRequest(const MultipartTarget& target, int number, std::span<const std::byte> data,
                           std::uint32_t crc32c);
/// One page of the parts behind number `after`.
HttpRequest ListPartsRequest(const MultipartTarget& target, int after);

/// One page of a bucket's uploads that are neither completed nor aborted: see ListMultipartUploads().
struct UploadsTarget {
  std::string_view endpoint;
  std::string_view bucket;
  std::string_view prefix;
  const CallOptions& call;
};
/// `after` is the end of the previous page; empty for the first one.
struct UploadsMarker {
  std::string key = {};
  std::string upload_id = {};

  friend bool operator==(const UploadsMarker&, const UploadsMarker&) = default;
};
HttpRequest ListUploadsRequest(const UploadsTarget& target, const UploadsMarker& after);

/// A part in a complete request.
struct PartTag {
  int number = 0;
  std::string etag = {};
};
HttpRequest CompleteMultipartRequest(const MultipartTarget& target, const std::vector<PartTag>& parts);
HttpRequest AbortMultipartRequest(const MultipartTarget& target);

}  // namespace gcsflux::internal
