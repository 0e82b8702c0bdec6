#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/result.h"

namespace gcsflux {

/// The name of an object. With an empty `name` it is a bucket; with a partial name it is a prefix.
///
/// Object names are 1 to 1024 bytes of UTF-8 without CR or LF. GCS orders them bytewise.
struct ObjectName {
  std::string bucket = {};  ///< Without "gs://".
  std::string name = {};    ///< May contain '/', which has no meaning to GCS.

  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;  // NOLINT(modernize-use-nullptr)
};

/// "gs://bucket/name", or "gs://bucket" for a bucket: the form that people type and that messages show.
std::string ToUri(const ObjectName& object);

/// Reads "gs://bucket", "gs://bucket/", "gs://bucket/prefix" or the same with "gcs://".
///
/// The name is not percent-decoded. Returns kInvalidArgument if the scheme is another one, the bucket's name cannot be
/// valid, or the object's name breaks GCS's rules.
Result<ObjectName> ParseUri(std::string_view uri);

/// Bytes [offset, offset + length) of an object. Without a length, the range extends to the end of the object.
struct ByteRange {
  std::uint64_t offset = 0;                  ///< Of the first byte, from 0.
  std::optional<std::uint64_t> length = {};  ///< In bytes.
};

/// The attributes of a new object.
struct ObjectAttributes {
  std::string content_type = "application/octet-stream";  ///< A media type: "image/png".
  std::string content_encoding = {};     ///< "gzip" if the bytes are gzip-compressed: browsers then decompress them.
  std::string content_disposition = {};  ///< As browsers take it: "attachment; filename=model.pt".
  std::string content_language = {};     ///< ISO 639-1.
  std::string cache_control = {};        ///< Empty means GCS's default: public objects are cached for an hour.
  std::string storage_class = {};        ///< Empty means the bucket's default.
  /// For lifecycle rules; in whole milliseconds.
  std::optional<std::chrono::system_clock::time_point> custom_time = {};
  /// The object cannot be deleted or overwritten until the hold is released. The retention period restarts then.
  bool event_based_hold = false;
  bool temporary_hold = false;                       ///< The same, without an effect on the retention period.
  std::map<std::string, std::string> metadata = {};  ///< The user's own keys and values, at most 8 KiB in all.

  friend bool operator==(const ObjectAttributes&, const ObjectAttributes&) = default;
};

/// The attributes that PatchObject changes. An absent one stays as it is.
struct ObjectChanges {
  std::optional<std::string> content_type = {};         ///< An empty text removes the attribute; so do those below.
  std::optional<std::string> content_encoding = {};     ///< As ObjectAttributes::content_encoding.
  std::optional<std::string> content_disposition = {};  ///< As ObjectAttributes::content_disposition.
  std::optional<std::string> content_language = {};     ///< As ObjectAttributes::content_language.
  std::optional<std::string> cache_control = {};        ///< As ObjectAttributes::cache_control.
  /// It cannot become earlier, and cannot be removed.
  std::optional<std::chrono::system_clock::time_point> custom_time = {};
  std::optional<bool> event_based_hold = {};                        ///< False releases the hold.
  std::optional<bool> temporary_hold = {};                          ///< False releases the hold.
  std::map<std::string, std::optional<std::string>> metadata = {};  ///< By key; a key without a value is removed.
};

/// GCS's metadata of one generation of an object.
struct ObjectMetadata {
  std::string bucket = {};                   ///< The bucket that has it.
  std::string name = {};                     ///< Its name in the bucket.
  std::int64_t generation = 0;               ///< Every new content has a new generation; never 0 for a stored object.
  std::int64_t metageneration = 0;           ///< Counts changes of the metadata of this generation, from 1.
  std::uint64_t size = 0;                    ///< In bytes, as stored.
  std::optional<std::uint32_t> crc32c = {};  ///< Absent if the service gave none, or it was not requested.
  std::string md5_hash = {};          ///< Base64. Only if it was requested and GCS has one (not of composed objects).
  std::string etag = {};              ///< Changes with generation and metageneration.
  std::string content_type = {};      ///< A media type.
  std::string content_encoding = {};  ///< "gzip" if the bytes are gzip-compressed.
  std::string content_disposition = {};                                   ///< As ObjectAttributes::content_disposition.
  std::string content_language = {};                                      ///< As ObjectAttributes::content_language.
  std::string cache_control = {};                                         ///< Empty means GCS's default.
  std::string storage_class = {};                                         ///< "STANDARD", "NEARLINE" and so on.
  std::optional<std::chrono::system_clock::time_point> custom_time = {};  ///< For lifecycle rules.
  bool event_based_hold = false;                                          ///< As ObjectAttributes::event_based_hold.
  bool temporary_hold = false;                                            ///< As ObjectAttributes::temporary_hold.
  std::string kms_key_name = {};         ///< With the key's version; empty if Google's own key encrypts the object.
  std::string customer_key_sha256 = {};  ///< Base64 of the hash of the EncryptionKey that is needed to read the object.
  /// How many objects it was composed of, in all steps; 0 if it was never composed.
  std::uint32_t component_count = 0;
  std::chrono::system_clock::time_point time_created = {};  ///< Of this generation.
  std::chrono::system_clock::time_point updated = {};       ///< The last change of its metadata.
  std::map<std::string, std::string> metadata = {};         ///< The user's own keys and values.
};

/// A page of a listing, or all of it.
struct ObjectListing {
  std::vector<ObjectMetadata> objects = {};  ///< In bytewise order of their names.
  std::vector<std::string> prefixes = {};    ///< Directories, in the same order; only with a delimiter.
  std::string next_page_token = {};          ///< Empty on the last page.
};

/// GCS's metadata of a bucket.
struct BucketMetadata {
  std::string name = {};            ///< Without "gs://".
  std::string location = {};        ///< In capitals: "EUROPE-WEST4", "US".
  std::string storage_class = {};   ///< Of new objects that name none.
  std::int64_t metageneration = 0;  ///< Counts changes of the bucket's metadata, from 1.
  std::string etag = {};            ///< Changes with the metageneration.
  bool has_versioning = false;      ///< Overwritten and deleted objects remain as noncurrent ones.
  /// How long deleted objects are kept and paid for. With 0 they are deleted at once.
  std::chrono::seconds soft_delete_retention{0};
  /// How old an object must be before it can be deleted; 0 means no such rule.
  std::chrono::seconds retention_period{0};
  bool has_hierarchical_namespace = false;  ///< Folders are real, and can be renamed at once.
  bool default_event_based_hold = false;    ///< New objects cannot be deleted until their hold is released.
  std::string default_kms_key_name = {};    ///< The key for new objects that name none.
  bool has_requester_pay = false;           ///< Requests must name a CallOptions::user_project.
  std::chrono::system_clock::time_point time_created = {};  ///< By the service's clock.
  std::chrono::system_clock::time_point updated = {};       ///< The last change of its metadata.
};

/// Checks GCS's rules for the name of an object that a client can check: not empty, at most 1024 bytes of UTF-8, no CR
/// or LF, and so on. The error tells which rule is broken. Thread-safe.
Result<void> CheckObjectName(std::string_view name);

/// A customer-supplied encryption key: GCS encrypts and decrypts with it, and does not keep it. If you lose the key,
/// you lose the object. https://cloud.google.com/storage/docs/encryption/customer-supplied-keys
///
/// An immutable value. The key itself appears in no message, log or trace. Over plain http it is sent only to this
/// machine's loopback; other calls return kInvalidArgument.
class EncryptionKey {
 public:
  /// An AES-256 key. Returns kInvalidArgument unless it has 32 bytes.
  static Result<EncryptionKey> FromBytes(std::span<const std::byte> bytes);
  /// The same from base64 (RFC 4648, with padding), the form that tools store.
  static Result<EncryptionKey> FromBase64(std::string_view text);

  /// Base64 of the key's SHA-256, by which GCS names the key: ObjectMetadata::customer_key_sha256.
  [[nodiscard]] const std::string& sha256() const { return sha256_; }

  /// For this library's own requests: the key, in base64.
  [[nodiscard]] const std::string& secret_base64() const { return base64_; }

  /// Compares the hashes.
  friend bool operator==(const EncryptionKey& one, const EncryptionKey& other) { return one.sha256_ == other.sha256_; }
  /// Prints the hash.
  friend std::ostream& operator<<(std::ostream& out, const EncryptionKey& key);

 private:
  EncryptionKey(std::string base64, std::string sha256) : base64_(std::move(base64)), sha256_(std::move(sha256)) {}

  std::string base64_;
  std::string sha256_;
};

/// A name of which a bucket has few, such as "STANDARD" or a Cloud KMS key's, in the memory of a pointer, because
/// listings hold millions. Thread-safe.
class InternedName {
 public:
  /// The empty name.
  InternedName() = default;
  /// Each name is kept once, until the program ends. After 4,096 names every further one is "OTHER", as is a name of
  /// more than 1,024 bytes.
  explicit InternedName(std::string_view name);

  [[nodiscard]] const std::string& name() const { return name_ == nullptr ? Empty() : *name_; }  ///< As given.
  [[nodiscard]] bool empty() const { return name_ == nullptr; }                                  ///< No name.

  friend bool operator==(InternedName a, InternedName b) { return a.name_ == b.name_; }
  friend bool operator==(InternedName a, std::string_view b) { return a.name() == b; }

 private:
  static const std::string& Empty();
  const std::string* name_ = nullptr;  // Null: the empty name.
};

/// One object of a parallel listing: what is needed to read it, in little memory.
struct ListedObject {
  std::string name = {};                               ///< In the listing's bucket.
  std::uint64_t size = 0;                              ///< In bytes, as stored.
  std::int64_t generation = 0;                         ///< The one that was live when it was listed.
  std::optional<std::uint32_t> crc32c = {};            ///< Absent if the service gave none.
  InternedName storage_class = {};                     ///< "STANDARD" and so on.
  std::chrono::system_clock::time_point updated = {};  ///< The last change of its metadata.
  InternedName kms_key_name = {};                      ///< As ObjectMetadata::kms_key_name.
};

/// CRC32C (Castagnoli) is what Cloud Storage keeps of each object; CRC-32 is that of zip archives.
enum class Checksum : std::uint8_t { kCrc32c, kCrc32 };

/// A read of `into.size()` bytes from `offset` on.
struct RangeRead {
  std::uint64_t offset = 0;        ///< Of the first byte, from 0.
  std::span<std::byte> into = {};  ///< Filled as a whole.
};

}  // namespace gcsflux
