#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/object.h"
#include "gcsflux/options.h"

namespace gcsflux {

/// Conditions on an object. If a ..._match condition does not hold, the call returns kPreconditionFailed; if a
/// ..._not_match condition does not hold, kNotModified. Either way the call has no effect.
/// Buckets have no generations: for them, conditions on one are kInvalidArgument. So are the ..._not_match conditions
/// for a compose. https://cloud.google.com/storage/docs/request-preconditions
struct Preconditions {
  /// The live generation; 0: no object of the name is live. Set it if a write must not overwrite another write. It also
  /// makes the write safe to retry.
  std::optional<std::int64_t> if_generation_match = {};
  std::optional<std::int64_t> if_generation_not_match = {};  ///< 0: some object of the name is live.
  /// Set it if a change of metadata must not overwrite another change. It also makes that change safe to retry.
  std::optional<std::int64_t> if_metageneration_match = {};
  std::optional<std::int64_t> if_metageneration_not_match = {};  ///< Set it to read only what changed.
};

/// Options that every call has.
struct CallOptions {
  /// The project that pays for the request. Set it if the bucket's owner requires the requester to pay.
  std::string user_project = {};
  /// Replaces the client's retry policy for this call. Its `budget` is not used, because calls share the client's
  /// budget. Set it if one call may take longer, or must end sooner, than the others.
  std::optional<RetryOptions> retry = {};
};

/// How many bytes have moved, and how many there are in all.
struct Progress {
  std::uint64_t bytes = 0;  ///< It decreases if a request must be sent again.
  std::uint64_t total = 0;  ///< In bytes; 0 if it is not known.
  /// Of RewriteObject(), after each request: CopyObjectOptions::rewrite_token continues from here, also in another
  /// process. Empty when it is done.
  std::string rewrite_token = {};
};

/// Called often, on the calling thread. The transfer waits while it runs. An exception ends the call with kLocalIo.
using ProgressCallback = std::function<void(const Progress&)>;

// Members that many of the options below have:
// - `generation` selects a generation of the object; without it, the live one.
// - `fields` are the fields of the answer to request, in the JSON API's names: "size,crc32c,metadata". Bucket, name and
//   generation always come; the other members of the result keep their defaults. Empty requests all fields of the
//   result. Set it if there are many answers and few fields are used.
// - `encryption_key` is the key under which the object is stored, or will be stored.
// - `kms_key_name` names the Cloud KMS key that encrypts the new object:
//   "projects/P/locations/L/keyRings/R/cryptoKeys/K". Without it, the bucket's default key does.

/// For all calls on buckets. A member that the call does not take returns kInvalidArgument.
struct BucketOptions {
  // For InsertBucket. What is absent or empty, GCS decides.
  std::string location = {};       ///< GCS's default is US.
  std::string storage_class = {};  ///< Of objects that name none. GCS's default is STANDARD.
  /// How long deleted objects are kept and paid for: 0, or 7 to 90 days. GCS's default is 7 days. Set it to 0 for
  /// temporary objects.
  std::optional<std::chrono::seconds> soft_delete_retention = {};
  /// Folders are real, and can be renamed at once. Cannot be changed later.
  bool hierarchical_namespace = false;

  std::string prefix = {};  ///< For ListBuckets: of the buckets' names.
  /// For GetBucket and DeleteBucket.
  Preconditions preconditions = {};
  std::string fields = {};  ///< For calls that return metadata; for each bucket.
  CallOptions call = {};
  std::stop_token stop = {};
};

/// For InsertObject. Retried only with if_generation_match. upload.h has writes that are always safe to retry.
struct InsertObjectOptions {
  Preconditions preconditions = {};
  ObjectAttributes attributes = {};
  std::optional<EncryptionKey> encryption_key = {};
  std::optional<std::string> kms_key_name = {};
  std::string fields = {};
  ProgressCallback on_progress = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// For GetObject, PatchObject, UpdateObject and DeleteObject. Patches and updates are retried only with
/// if_metageneration_match, deletions only with a generation or if_generation_match.
struct ObjectOptions {
  /// Requests ObjectMetadata::md5_hash. Set it to compare with tools that know only MD5. gcsflux itself uses CRC32C,
  /// and an emulator must compute the MD5 first.
  bool with_md5_hash = false;
  std::optional<std::int64_t> generation = {};  ///< The live one if absent.
  Preconditions preconditions = {};
  /// For GetObject, otherwise kInvalidArgument. If an object has a key, GCS shows its checksum only with that key.
  std::optional<EncryptionKey> encryption_key = {};
  std::string fields = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct ReadObjectOptions {
  /// Without it, the whole object. A range that extends past the end is shortened; one that begins at or past the end
  /// returns kOutOfRange.
  std::optional<ByteRange> range = {};
  /// Set it if the bytes must be of the object that was listed.
  std::optional<std::int64_t> generation = {};
  Preconditions preconditions = {};
  std::optional<EncryptionKey> encryption_key = {};
  /// Decompresses objects that are stored with Content-Encoding: gzip, and leaves others unchanged. The stored bytes
  /// are fetched, resumed and checked, and decompressed here. Returns kUndecodable if they are not gzip data. Returns
  /// kInvalidArgument with a range, because a range counts stored bytes. Set it if the writer of the objects compressed
  /// them.
  bool decompress_gzip = false;
  ProgressCallback on_progress = {};  ///< In stored bytes.
  CallOptions call = {};
  std::stop_token stop = {};
};

/// For ListObjects, which lists one page, and for ListPrefix, which lists all pages.
struct ListOptions {
  std::string delimiter = {};     ///< "/" lists one directory level: names behind the next "/" become prefixes.
  std::string start_offset = {};  ///< Names at or after this one.
  std::string end_offset = {};    ///< Names before this one; empty means no bound.
  /// Only names that this pattern matches as a whole: * and ? stop at "/", ** does not; [a-c] and {a,b} are choices. A
  /// page may then be empty although others follow. https://cloud.google.com/storage/docs/json_api/v1/objects/list
  std::string match_glob = {};
  /// Noncurrent generations too: a name then comes once for each, the oldest first.
  bool versions = false;
  int max_results = 5000;       ///< Of a page. A wish: GCS may return fewer. Objects and prefixes both count.
  std::string page_token = {};  ///< The page to begin with, from ObjectListing::next_page_token.
  std::string fields = {};      ///< For each object.
  CallOptions call = {};
  std::stop_token stop = {};
};

/// One source of ComposeObjects, in the destination's bucket.
struct ComposeSource {
  std::string name = {};                        ///< Of the object, without the bucket.
  std::optional<std::int64_t> generation = {};  ///< Set it if the source may change meanwhile.
  /// The same, but returns kPreconditionFailed instead of kNotFound.
  std::optional<std::int64_t> if_generation_match = {};
};

/// For ComposeObjects. Retried only with if_generation_match.
struct ComposeObjectsOptions {
  Preconditions preconditions = {};  ///< For the destination.
  ObjectAttributes attributes = {};
  std::optional<EncryptionKey> encryption_key = {};  ///< Of the sources, which share it, and of the destination.
  std::optional<std::string> kms_key_name = {};
  /// Deletes the sources after the composite is made: at once and for good, without soft delete. If the compose fails,
  /// they stay. A retry may not find them any more: then kNotFound or kPreconditionFailed can mean that an earlier
  /// attempt succeeded. Set it if the sources were made only for this composite.
  bool delete_source_objects = false;
  std::string fields = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// For CopyObject, RewriteObject and MoveObject. Retried only with if_generation_match.
struct CopyObjectOptions {
  std::optional<std::int64_t> source_generation = {};  ///< The live one if absent.
  Preconditions source_preconditions = {};             ///< For the source.
  Preconditions preconditions = {};                    ///< For the destination.
  std::optional<ObjectAttributes> attributes = {};     ///< If absent, the source's, except its storage class and holds.
  std::optional<EncryptionKey> source_encryption_key = {};  ///< Under which the source is stored.
  /// Of the destination. A key other than the source's rotates the key.
  std::optional<EncryptionKey> encryption_key = {};
  std::optional<std::string> kms_key_name = {};

  // For RewriteObject; the others return kInvalidArgument.
  /// Most bytes that one request may move, a multiple of 1 MiB. Lower it to see progress more often.
  std::optional<std::int64_t> max_bytes_per_request = {};
  /// From Progress: continues an earlier rewrite. All other options must be the same as at its start.
  std::string rewrite_token = {};
  ProgressCallback on_progress = {};  ///< Called after each request.

  std::string fields = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

}  // namespace gcsflux
