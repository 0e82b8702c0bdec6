#pragma once

#include <string>
#include <string_view>

#include "json/json_writer.h"
#include "json_api/field_mask.h"
#include "store/buckets/bucket_info.h"

namespace gcsflux::emulator {

/// How to show a bucket's resource.
struct BucketView {
  const FieldMask& fields;
  std::string_view base_url;  ///< "http://HOST:PORT", the client's name for the emulator.
  bool shows_acl = false;     ///< `projection=full`
};

/// Changes with each change of the bucket's description, and of its access control.
std::string BucketEtag(const BucketInfo& bucket);

void WriteBucket(JsonWriter& json, const BucketView& view, const BucketInfo& bucket);

/// The bucket's location, and whether it has folders:
/// https://cloud.google.com/storage/docs/json_api/v1/buckets/getStorageLayout
void WriteStorageLayout(JsonWriter& json, const FieldMask& fields, const BucketInfo& bucket);

}  // namespace gcsflux::emulator
