#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/result.h"

namespace gcsflux {

/// One object, or with an empty `name` a bucket; with a partial name a prefix.
///
/// Object names are 1 to 1024 bytes of UTF-8 without CR or LF; GCS orders them bytewise.
struct ObjectName {
  std::string bucket = {};
  std::string name = {};

  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

/// "gs://bucket/name", or "gs://bucket" for a bucket: the form that people type and that messages show.
std::string ToUri(const ObjectName& object);

/// Reads "gs://bucket", "gs://bucket/", "gs://bucket/prefix" or the same with "gcs://".
///
/// The name is taken as it stands, nothing in it is percent-decoded.
/// kInvalidArgument where the scheme is another, the bucket's name cannot be one, or the name breaks GCS's rules.
Result<ObjectName> ParseUri(std::string_view uri);

/// Bytes [offset, offset + length) of an object; without a length, up to its end.
struct ByteRange {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length = {};
};

/// What GCS tells about one generation of an object.
struct ObjectMetadata {
  std::string bucket = {};
  std::string name = {};
  std::int64_t generation = 0;      ///< Changes with every new content; never 0 for a stored object.
  std::int64_t metageneration = 0;  ///< Counts changes of the metadata of this generation, from 1.
  std::uint64_t size = 0;           ///< In bytes, as stored.
  std::optional<std::uint32_t> crc32c = {};
  std::string md5_hash = {};  ///< Base64; only where it was asked for and GCS has one (not of composed objects).
  std::string etag = {};
  std::string content_type = {};
  std::string content_encoding = {};
  std::string storage_class = {};
  std::chrono::system_clock::time_point time_created = {};
  std::chrono::system_clock::time_point updated = {};
  std::map<std::string, std::string> metadata = {};  ///< The user's own keys and values.
};

/// What GCS tells about a bucket.
struct BucketMetadata {
  std::string name = {};
  std::string location = {};
  std::string storage_class = {};
  std::int64_t metageneration = 0;
  std::chrono::system_clock::time_point time_created = {};
};

}  // namespace gcsflux
