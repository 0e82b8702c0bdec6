#pragma once

#include <string>
#include <string_view>

#include "json/json_writer.h"
#include "json_api/field_mask.h"
#include "store/buckets/bucket_info.h"

namespace gcsflux::emulator {

/// How a bucket's resource is to be shown.
struct BucketView {
  const FieldMask& fields;
  std::string_view base_url;  ///< "http://HOST:PORT", the way the client came.
  bool shows_acl = false;     ///< `projection=full`
};

void WriteBucket(JsonWriter& json, const BucketView& view, const BucketInfo& bucket);

/// Where the bucket is, and whether it has folders:
/// https://cloud.google.com/storage/docs/json_api/v1/buckets/getStorageLayout
void WriteStorageLayout(JsonWriter& json, const FieldMask& fields, const BucketInfo& bucket);

/// Whether its names are a tree of folders, which the emulator has not.
bool HasHierarchicalNamespace(const BucketInfo& bucket);

}  // namespace gcsflux::emulator
