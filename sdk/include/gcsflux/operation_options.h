#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

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

struct InsertBucketOptions {
  std::string location = {};  ///< GCS's own default (US) where empty.
  CallOptions call = {};
  std::stop_token stop = {};
};

struct GetBucketOptions {
  BucketPreconditions preconditions = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct ListBucketsOptions {
  std::string prefix = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct DeleteBucketOptions {
  BucketPreconditions preconditions = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// For InsertObject. Retried only under if_generation_match: see upload.h for writes that are safe by themselves.
struct InsertObjectOptions {
  Preconditions preconditions = {};
  ObjectAttributes attributes = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct GetObjectOptions {
  /// Asks for ObjectMetadata::md5_hash. Set it to compare with tools that know nothing else; everything here goes by
  /// CRC32C, and an emulator has to compute the MD5 first.
  bool with_md5_hash = false;
  std::optional<std::int64_t> generation = {};  ///< The live one unless set.
  Preconditions preconditions = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct ReadObjectOptions {
  /// The whole object unless set. A range past the end is cut; one that begins there is kOutOfRange.
  std::optional<ByteRange> range = {};
  /// The live one unless set. Set it where the bytes must be of the object that was listed.
  std::optional<std::int64_t> generation = {};
  Preconditions preconditions = {};
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
  CallOptions call = {};
  std::stop_token stop = {};
};

/// For DeleteObject. Retried only with a generation or under if_generation_match.
struct DeleteObjectOptions {
  std::optional<std::int64_t> generation = {};  ///< The live one unless set.
  Preconditions preconditions = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

}  // namespace gcsflux
