#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/events.h"
#include "gcsflux/object.h"
#include "gcsflux/operation_options.h"
#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux {

class ClientCore;

namespace internal {
template <class T>
class PerProcess;
}  // namespace internal

/// What a read delivered.
struct ReadSummary {
  std::uint64_t bytes = 0;  ///< Delivered, from the start of the range; where it was decompressed, of what came out.
  std::int64_t generation = 0;    ///< The one that every byte is of.
  std::uint64_t object_size = 0;  ///< Of the whole object, as stored.
  std::uint32_t crc32c = 0;       ///< Of the bytes read, as they are stored.
  /// The bytes were compared with the CRC32C that the service gives for the object, and are right. False where the
  /// service gave none, and for a range that is not the whole object: there is nothing to compare that with.
  bool is_verified = false;
  bool is_decompressed = false;  ///< ReadObjectOptions::decompress_gzip had something to do.
  /// Of the whole object, as the service says it; also where a range was read.
  std::optional<std::uint32_t> object_crc32c = {};
};

/// Takes the next bytes of a read, in order; they are valid during the call only. An error ends the read as it is;
/// one that throws ends it as kLocalIo.
using ByteSink = std::function<Result<void>(std::span<const std::byte>)>;

struct ObjectPage {
  std::vector<ObjectMetadata> objects = {};
  std::vector<std::string> prefixes = {};
  std::string next_page_token = {};  ///< Empty on the last page.
};

/// Google Cloud Storage, one blocking method per operation.
///
/// Thread-safe. A handle: copies are cheap and share connections, which live until the last copy is gone.
/// Every method returns when it has succeeded, failed for good, or its stop_token asked it to stop (kCancelled,
/// within about 50 ms). Failures that may pass are retried as RetryOptions says where the operation is idempotent.
///
/// In a child of fork() a client that the parent made is as good as a new one: it has connections, gates, budgets and
/// counters of its own, and the parent's options and token. It may be forked while other threads use it; fork() waits
/// for them a moment. A call, a stream or a writer that the parent has begun fails in the child at once, with kForked,
/// and goes on in the parent. That holds for fork(), not for vfork() and clone(). exec() closes every connection.
///
/// An answer about another bucket, another object or another generation than was asked for is kBadResponse; what a
/// write was to do may be done then.
class Client {
 public:
  /// Makes no request. kInvalidArgument: a malformed endpoint, options out of their range, or a token that would go
  /// over plain http to another machine.
  static Result<Client> Create(ClientOptions options = {});

  /// kAlreadyExists where the name is taken.
  Result<BucketMetadata> InsertBucket(const std::string& bucket, const InsertBucketOptions& options = {}) const;
  Result<BucketMetadata> GetBucket(const std::string& bucket, const GetBucketOptions& options = {}) const;
  /// Every bucket of the project, all pages of it. kBadResponse after 1,000 pages in a row without a further bucket.
  Result<std::vector<BucketMetadata>> ListBuckets(const ListBucketsOptions& options = {}) const;
  /// kBucketNotEmpty where it still holds objects, live or noncurrent.
  Result<void> DeleteBucket(const std::string& bucket, const DeleteBucketOptions& options = {}) const;
  /// Those of the permissions ("storage.objects.get") that the caller has.
  Result<std::vector<std::string>> TestBucketPermissions(const std::string& bucket,
                                                         const std::vector<std::string>& permissions,
                                                         const TestBucketPermissionsOptions& options = {}) const;

  /// Stores `data` as one object in one request, with its CRC32C, which the service checks before it commits. If it
  /// says to have stored other bytes all the same: kCorrupted, and just the generation that it made is deleted, or the
  /// message says that it remains.
  Result<ObjectMetadata> InsertObject(const ObjectName& object, std::span<const std::byte> data,
                                      const InsertObjectOptions& options = {}) const;

  Result<ObjectMetadata> GetObject(const ObjectName& object, const GetObjectOptions& options = {}) const;

  /// Reads into the caller's memory. kInvalidArgument where more than `buffer` would be delivered.
  ///
  /// A read that breaks goes on at the last byte delivered, of the same generation (kAborted where that one is gone).
  /// A whole object's CRC32C is checked against the service's; where they differ it is read once more, then kCorrupted.
  /// Where the service gives none the read succeeds, ReadSummary::is_verified says so, Counters::unverified_reads
  /// counts it, and a listener hears of it once per bucket; ClientOptions::require_checksum makes it kUnverified.
  /// kBadResponse: an answer of another generation than the one asked for (by `generation`, `if_generation_match`, or
  /// the answer before it), or one whose generation, size or checksum is missing, malformed or said in two ways; a
  /// checksum alone may be missing. On failure the buffer holds anything.
  Result<ReadSummary> ReadObject(const ObjectName& object, std::span<std::byte> buffer,
                                 const ReadObjectOptions& options = {}) const;
  /// The same, piece by piece. The checksum is known only at the end, and nothing is read once more: what the sink has
  /// taken is to be discarded on an error.
  Result<ReadSummary> ReadObject(const ObjectName& object, const ByteSink& sink,
                                 const ReadObjectOptions& options = {}) const;
  /// The same, into a new string: for small objects.
  Result<std::string> ReadObject(const ObjectName& object, const ReadObjectOptions& options = {}) const;

  /// One page; listing.h has the whole of it.
  Result<ObjectPage> ListObjects(const std::string& bucket, const ListObjectsOptions& options = {}) const;

  /// Changes some attributes of an object, in place: its generation stays, its metageneration grows.
  Result<ObjectMetadata> PatchObject(const ObjectName& object, const ObjectChanges& changes,
                                     const PatchObjectOptions& options = {}) const;
  /// Replaces them all: what `attributes` leaves empty is gone.
  Result<ObjectMetadata> UpdateObject(const ObjectName& object, const ObjectAttributes& attributes,
                                      const UpdateObjectOptions& options = {}) const;

  /// Joins 1 to 32 objects of one bucket into `destination` (same bucket) without moving their bytes.
  Result<ObjectMetadata> ComposeObjects(const std::vector<ComposeSource>& sources, const ObjectName& destination,
                                        const ComposeObjectsOptions& options = {}) const;

  /// Copies an object in one request, without moving its bytes through the client. GCS gives up on large ones that
  /// change location or storage class: RewriteObject takes those.
  Result<ObjectMetadata> CopyObject(const ObjectName& source, const ObjectName& destination,
                                    const CopyObjectOptions& options = {}) const;
  /// The same in as many requests as it takes; retry policies hold for each of them. Nothing is visible before the
  /// last.
  Result<ObjectMetadata> RewriteObject(const ObjectName& source, const ObjectName& destination,
                                       const RewriteObjectOptions& options = {}) const;

  Result<void> DeleteObject(const ObjectName& object, const DeleteObjectOptions& options = {}) const;

  /// What this client and its copies have done so far, in this process. Cheap: read it as often as is useful.
  [[nodiscard]] Counters counters() const;
  /// Its gates as they stand, one for each bucket and class of requests that it has sent; empty where another
  /// ThrottlePolicy is set.
  [[nodiscard]] std::vector<GateStatus> flow_control() const;

 private:
  // The library's own layers.
  friend const ClientCore& CoreOf(const Client& client);
  friend Client ClientOf(std::shared_ptr<const ClientCore> core);
  explicit Client(std::shared_ptr<const ClientCore> core);
  [[nodiscard]] const ClientCore& core() const;

  using Cores = internal::PerProcess<const ClientCore>;
  explicit Client(std::shared_ptr<const Cores> cores) : cores_(std::move(cores)) {}

  std::shared_ptr<const Cores> cores_;
};

/// The bytes of a string, without a copy.
inline std::span<const std::byte> AsBytes(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace gcsflux
