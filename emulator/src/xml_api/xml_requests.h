#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/xml_error.h"
#include "store/buckets/bucket.h"
#include "store/buckets/multipart_uploads.h"

namespace gcsflux::emulator {

// The XML bodies of requests. Document types and their declarations are skipped: nothing is expanded or fetched.
// Unknown elements are ignored if they do no harm. kMalformedXml if the text has another form.

/// <CompleteMultipartUpload><Part><PartNumber/><ETag/></Part>...</CompleteMultipartUpload>, with at least one part.
/// kInvalidArgument if no part can have a number.
XmlResult<std::vector<PartReference>> ParseCompleteUpload(std::string_view xml);

struct BucketConfiguration {
  std::string location = {};  ///< Empty if it is not there; so is the other.
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
  bool is_quiet = false;  ///< Successful deletions are not listed in the answer.
};

/// <Delete><Quiet/><Object><Key/><VersionId/></Object>...</Delete>, with one to 1000 objects. kInvalidArgument if a
/// version is not a generation.
XmlResult<ObjectsToDelete> ParseDelete(std::string_view xml);

/// <ComposeRequest><Component><Name/><Generation/><IfGenerationMatch/></Component>...</ComposeRequest>, with one to 32
/// components. kInvalidArgument if a number is none.
XmlResult<std::vector<ObjectSelector>> ParseCompose(std::string_view xml);

/// <VersioningConfiguration><Status/></VersioningConfiguration>: whether the status is Enabled, not Suspended.
XmlResult<bool> ParseVersioningConfiguration(std::string_view xml);

}  // namespace gcsflux::emulator
