#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/encryption_key.h"
#include "gcsflux/object.h"
#include "gcsflux/retry_options.h"

namespace gcsflux {

/// What must hold of an object for the call to take effect: kPreconditionFailed (a ..._match) or kNotModified (a
/// ..._not_match) where it does not. https://cloud.google.com/storage/docs/request-preconditions
struct Preconditions {
  /// The live generation; 0: no object of the name is live. Set it wherever a write must not undo another's: it also
  /// makes the write safe to repeat.
  std::optional<std::int64_t> if_generation_match = {};
  std::optional<std::int64_t> if_generation_not_match = {};  ///< 0: some object of the name must be live.
  /// Set it where a change of metadata must not undo another's: it makes that change safe to repeat.
  std::optional<std::int64_t> if_metageneration_match = {};
  std::optional<std::int64_t> if_metageneration_not_match = {};
};

/// Those that GCS knows for the destination of a compose.
struct ComposePreconditions {
  std::optional<std::int64_t> if_generation_match = {};  ///< 0: no object of the name is live.
  std::optional<std::int64_t> if_metageneration_match = {};
};

/// Those of buckets, which have no generations.
struct BucketPreconditions {
  std::optional<std::int64_t> if_metageneration_match = {};
  std::optional<std::int64_t> if_metageneration_not_match = {};
};

/// What every call can be given, whatever it does.
struct CallOptions {
  /// The project that pays for the request. Set it for buckets whose owner has the requester pay.
  std::string user_project = {};
  /// Instead of the client's policy for this kind of call; its `budget` is not used, since calls share the client's.
  /// Set it where one call may take longer, or must be done sooner, than the others.
  std::optional<RetryOptions> retry = {};
};

/// How many bytes have moved, and how many there are in all.
struct Progress {
  std::uint64_t bytes = 0;  ///< It goes back where a request has to be sent anew.
  std::uint64_t total = 0;
};

/// Called on the calling thread, often; it holds the transfer up while it runs. What it throws ends the call as
/// kLocalIo.
using ProgressCallback = std::function<void(const Progress&)>;

// Of the members below that many operations have:
// - `generation` is of the object named: the live one unless set.
// - `fields` are those of the answer that are asked for, as the JSON API names them: "size,crc32c,metadata". Bucket,
//   name and generation always come, the other members of the result stay as they are made. Empty asks for all that
//   the result holds. Set it where answers are many and little of them is used.
// - `encryption_key` is the key under which the object is, or is to be, stored.
// - `kms_key_name` names the Cloud KMS key that encrypts the new object, empty being the bucket's default:
//   "projects/P/locations/L/keyRings/R/cryptoKeys/K".

struct InsertBucketOptions {
  std::string location = {};  ///< GCS's own default (US) where empty.
  std::string fields = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct GetBucketOptions {
  BucketPreconditions preconditions = {};
  std::string fields = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct ListBucketsOptions {
  std::string prefix = {};
  std::string fields = {};  ///< Of each bucket.
  CallOptions call = {};
  std::stop_token stop = {};
};

struct DeleteBucketOptions {
  BucketPreconditions preconditions = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct TestBucketPermissionsOptions {
  CallOptions call = {};
  std::stop_token stop = {};
};

/// For InsertObject. Retried only under if_generation_match: see upload.h for writes that are safe by themselves.
struct InsertObjectOptions {
  Preconditions preconditions = {};
  ObjectAttributes attributes = {};
  std::optional<EncryptionKey> encryption_key = {};
  std::string kms_key_name = {};
  std::string fields = {};
  ProgressCallback on_progress = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct GetObjectOptions {
  /// Asks for ObjectMetadata::md5_hash. Set it to compare with tools that know nothing else; everything here goes by
  /// CRC32C, and an emulator has to compute the MD5 first.
  bool with_md5_hash = false;
  std::optional<std::int64_t> generation = {};
  Preconditions preconditions = {};
  std::optional<EncryptionKey> encryption_key = {};  ///< Without it GCS shows no checksum of an object under a key.
  std::string fields = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct ReadObjectOptions {
  /// The whole object unless set. A range past the end is cut; one that begins there is kOutOfRange.
  std::optional<ByteRange> range = {};
  /// Set it where the bytes must be of the object that was listed.
  std::optional<std::int64_t> generation = {};
  Preconditions preconditions = {};
  std::optional<EncryptionKey> encryption_key = {};
  /// Gives what is inside objects that are stored with Content-Encoding: gzip, and others unchanged. The stored bytes
  /// are what is fetched, resumed and checked, and inflated here. kUndecodable where they are no gzip data;
  /// kInvalidArgument with a range, which is one of stored bytes. Set it where others compressed what they stored.
  bool decompress_gzip = false;
  ProgressCallback on_progress = {};  ///< Of the stored bytes.
  CallOptions call = {};
  std::stop_token stop = {};
};

/// One page of a bucket's objects, in bytewise order of their names.
struct ListObjectsOptions {
  std::string prefix = {};
  std::string delimiter = {};     ///< "/" folds everything behind the next one into ObjectPage::prefixes.
  std::string start_offset = {};  ///< Names at or after it.
  std::string end_offset = {};    ///< Names before it; empty is no bound.
  int max_results = 5000;         ///< A wish: GCS may serve fewer. Objects and prefixes count alike.
  std::string page_token = {};    ///< From ObjectPage::next_page_token.
  std::string fields = {};        ///< Of each object.
  CallOptions call = {};
  std::stop_token stop = {};
};

/// For PatchObject. Retried only under if_metageneration_match.
struct PatchObjectOptions {
  std::optional<std::int64_t> generation = {};
  Preconditions preconditions = {};
  std::string fields = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// For UpdateObject. Retried only under if_metageneration_match.
struct UpdateObjectOptions {
  std::optional<std::int64_t> generation = {};
  Preconditions preconditions = {};
  std::string fields = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// One source of ComposeObjects, in the destination's bucket.
struct ComposeSource {
  std::string name = {};
  std::optional<std::int64_t> generation = {};           ///< Set it where the source may change meanwhile.
  std::optional<std::int64_t> if_generation_match = {};  ///< The same, but kPreconditionFailed rather than kNotFound.
};

/// For ComposeObjects. Retried only under if_generation_match.
struct ComposeObjectsOptions {
  ComposePreconditions preconditions = {};  ///< Of the destination.
  ObjectAttributes attributes = {};
  std::optional<EncryptionKey> encryption_key = {};  ///< Of the sources, which share it, and of the destination.
  std::string kms_key_name = {};
  /// Deletes the sources once the composite is made: at once and for good, without soft delete. If the compose fails,
  /// they stay. A repeated request may find them gone: then kNotFound or kPreconditionFailed can mean that an earlier
  /// attempt succeeded. Set it where the sources were made for this composite only.
  bool delete_source_objects = false;
  std::string fields = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// For CopyObject. Retried only under if_generation_match.
struct CopyObjectOptions {
  std::optional<std::int64_t> source_generation = {};
  Preconditions source_preconditions = {};
  Preconditions preconditions = {};                 ///< Of the destination.
  std::optional<ObjectAttributes> attributes = {};  ///< The source's unless set, its storage class and holds excepted.
  std::optional<EncryptionKey> source_encryption_key = {};
  std::optional<EncryptionKey> encryption_key = {};  ///< Of the destination.
  std::string kms_key_name = {};
  std::string fields = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// How far a rewrite is.
struct RewriteProgress {
  std::uint64_t bytes = 0;
  std::uint64_t total = 0;
  std::string rewrite_token = {};  ///< Goes on from here, also in another process; empty once it is done.
};

/// For RewriteObject. Retried only under if_generation_match.
struct RewriteObjectOptions {
  std::optional<std::int64_t> source_generation = {};
  Preconditions source_preconditions = {};
  Preconditions preconditions = {};                 ///< Of the destination.
  std::optional<ObjectAttributes> attributes = {};  ///< The source's unless set, its storage class and holds excepted.
  std::optional<EncryptionKey> source_encryption_key = {};
  std::optional<EncryptionKey> encryption_key = {};  ///< Of the destination. Another than the source's rotates the key.
  std::string kms_key_name = {};
  /// Most bytes that one request may move, a multiple of 1 MiB. Lower it where progress is to be seen more often.
  std::optional<std::int64_t> max_bytes_per_request = {};
  /// From RewriteProgress: goes on with a rewrite that was given up. All other options must be those it began with.
  std::string rewrite_token = {};
  /// After each request; what it throws is thrown by RewriteObject().
  std::function<void(const RewriteProgress&)> on_progress = {};
  std::string fields = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// For DeleteObject. Retried only with a generation or under if_generation_match.
struct DeleteObjectOptions {
  std::optional<std::int64_t> generation = {};
  Preconditions preconditions = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

}  // namespace gcsflux
