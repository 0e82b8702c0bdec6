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

/// What a new object is given beside its bytes.
struct ObjectAttributes {
  std::string content_type = "application/octet-stream";
  std::string content_encoding = {};     ///< "gzip" where the bytes are compressed so: browsers then inflate them.
  std::string content_disposition = {};  ///< As browsers take it: "attachment; filename=model.pt".
  std::string content_language = {};     ///< ISO 639-1.
  std::string cache_control = {};        ///< Empty is GCS's default: public objects are cached for an hour.
  std::string storage_class = {};        ///< Empty is the bucket's default.
  std::optional<std::chrono::system_clock::time_point> custom_time =
      {};  ///< For lifecycle rules; in whole milliseconds.
  bool event_based_hold =
      false;                    ///< Neither deleted nor overwritten until released; restarts the retention period then.
  bool temporary_hold = false;  ///< Likewise, without an effect on the retention period.
  std::map<std::string, std::string> metadata = {};  ///< The user's own keys and values, at most 8 KiB in all.

  friend bool operator==(const ObjectAttributes&, const ObjectAttributes&) = default;
};

/// What PatchObject changes of an object's attributes; what is absent stays as it is.
struct ObjectChanges {
  std::optional<std::string> content_type = {};  ///< Empty removes it, as with the others.
  std::optional<std::string> content_encoding = {};
  std::optional<std::string> content_disposition = {};
  std::optional<std::string> content_language = {};
  std::optional<std::string> cache_control = {};
  std::optional<std::chrono::system_clock::time_point> custom_time = {};  ///< It can neither go back nor be removed.
  std::optional<bool> event_based_hold = {};
  std::optional<bool> temporary_hold = {};
  std::map<std::string, std::optional<std::string>> metadata = {};  ///< By key; one without a value is removed.
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
  std::string content_encoding = {};  ///< "gzip" where the bytes are compressed so.
  std::string content_disposition = {};
  std::string content_language = {};
  std::string cache_control = {};
  std::string storage_class = {};
  std::optional<std::chrono::system_clock::time_point> custom_time = {};
  bool event_based_hold = false;
  bool temporary_hold = false;
  std::string kms_key_name = {};         ///< With its version; empty where Google's own key encrypts it.
  std::string customer_key_sha256 = {};  ///< Base64, of the EncryptionKey that it takes to read the object.
  std::uint32_t component_count = 0;     ///< Objects it was composed of, theirs counted; 0: it never was.
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
  std::string etag = {};
  bool has_versioning = false;  ///< Overwritten and deleted objects stay as noncurrent ones.
  /// How long deleted objects are kept, and paid for; 0: they are gone at once.
  std::chrono::seconds soft_delete_retention{0};
  /// How old an object must be before it can be deleted; 0: no such rule.
  std::chrono::seconds retention_period{0};
  bool default_event_based_hold = false;  ///< New objects cannot be deleted until their hold is released.
  std::string default_kms_key_name = {};  ///< Encrypts new objects that name none.
  bool has_requester_pay = false;         ///< Requests must name a CallOptions::user_project.
  std::chrono::system_clock::time_point time_created = {};
  std::chrono::system_clock::time_point updated = {};
};

}  // namespace gcsflux
