#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/xml_error.h"
#include "store/buckets/multipart_uploads.h"

namespace gcsflux::emulator {

// The XML bodies of requests. Document types and what they declare are skipped: nothing is expanded or fetched.
// Unknown elements are ignored where they do no harm; kMalformedXml where the text is not what it should be.

/// <CompleteMultipartUpload><Part><PartNumber/><ETag/></Part>...</CompleteMultipartUpload>, with one part at least.
/// kInvalidArgument where a number is none a part can have.
XmlResult<std::vector<PartReference>> ParseCompleteUpload(std::string_view xml);

struct BucketConfiguration {
  std::string location = {};  ///< Empty where it is not said; so is the other.
  std::string storage_class = {};
};

/// <CreateBucketConfiguration><LocationConstraint/><StorageClass/></CreateBucketConfiguration>
XmlResult<BucketConfiguration> ParseBucketConfiguration(std::string_view xml);

struct ObjectsToDelete {
  struct Entry {
    std::string name = {};
    std::optional<std::int64_t> generation = {};
  };
  std::vector<Entry> entries = {};
  bool is_quiet = false;  ///< What was deleted is not listed.
};

/// <Delete><Quiet/><Object><Key/><VersionId/></Object>...</Delete>, with one object at least and 1000 at most.
/// kInvalidArgument where a version is no generation.
XmlResult<ObjectsToDelete> ParseDelete(std::string_view xml);

/// <VersioningConfiguration><Status/></VersioningConfiguration>: whether the status is Enabled, not Suspended.
XmlResult<bool> ParseVersioningConfiguration(std::string_view xml);

}  // namespace gcsflux::emulator
