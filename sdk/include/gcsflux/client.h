#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
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
  std::uint64_t bytes = 0;      ///< Bytes delivered. If the object was decompressed, these are the decompressed bytes.
  std::int64_t generation = 0;  ///< All bytes are of this generation.
  std::uint64_t object_size = 0;  ///< Size of the whole object, as stored.
  std::uint32_t crc32c = 0;       ///< Checksum of the bytes read, as they are stored.
  /// True if the bytes were compared with the object's CRC32C from the service, and agree. False if the service gave no
  /// CRC32C. False also for a part of an object: the service gives no checksum of a part.
  bool is_verified = false;
  bool is_decompressed = false;  ///< ReadObjectOptions::decompress_gzip was set, and the object was compressed.
  /// The service's CRC32C of the whole object, also if only a range was read.
  std::optional<std::uint32_t> object_crc32c = {};
};

/// Takes the next bytes of a read, in order. The bytes are valid during the call only. An error that the sink returns
/// ends the read with that error. An exception ends it with kLocalIo.
using ByteSink = std::function<Result<void>(std::span<const std::byte>)>;

/// Google Cloud Storage, one blocking method per operation.
///
/// Thread-safe. A handle: copies are cheap and share connections, which close when the last copy is destroyed. A move
/// copies, so a client that was moved from works too. A method returns when it has succeeded or failed for good. It
/// also returns when its stop_token asks it to stop: kCancelled, within about 50 ms. If the operation is idempotent,
/// temporary failures are retried as RetryOptions says.
///
/// A client works in a child of fork() too. There it has its own connections, gates, budgets and counters, and the
/// options and the token of the parent. Other threads may use the client during fork(); fork() waits for them for a
/// moment. If the parent has begun a call, a listing, a stream, a reader or a writer, it fails in the child at once
/// with kForked, its destruction there does nothing, and it continues in the parent. This holds for fork(), not for
/// vfork() and clone(). exec() closes every connection.
///
/// If an answer is about another bucket, object or generation than the request, or is not one of the service, the call
/// returns kBadResponse. A write may have taken effect then.
class Client {
 public:
  Client(const Client&) = default;  // A move copies, so that it leaves a handle that works.
  Client& operator=(const Client&) = default;

  /// Makes no request. Returns kInvalidArgument if the endpoint is malformed, an option is out of its range, or a token
  /// would go over plain http to another machine.
  static Result<Client> Create(ClientOptions options = {});

  /// Returns kAlreadyExists if the name is taken.
  Result<BucketMetadata> InsertBucket(const std::string& bucket, const BucketOptions& options = {}) const;
  Result<BucketMetadata> GetBucket(const std::string& bucket, const BucketOptions& options = {}) const;  ///< Metadata.
  /// Lists every bucket of the project, over all pages. Returns kBadResponse after 1,000 pages in a row without a
  /// bucket.
  Result<std::vector<BucketMetadata>> ListBuckets(const BucketOptions& options = {}) const;
  /// Returns kBucketNotEmpty if the bucket holds objects, live or noncurrent.
  Result<void> DeleteBucket(const std::string& bucket, const BucketOptions& options = {}) const;
  /// Returns those of `permissions` (such as "storage.objects.get") that the caller has.
  Result<std::vector<std::string>> TestBucketPermissions(const std::string& bucket,
                                                         const std::vector<std::string>& permissions,
                                                         const BucketOptions& options = {}) const;

  /// Stores `data` as one object in one request. The request carries the CRC32C, which the service checks before it
  /// commits. If the answer still describes other bytes, returns kCorrupted. The generation that this call made is then
  /// deleted; if that fails, the message says that it remains.
  Result<ObjectMetadata> InsertObject(const ObjectName& object, std::span<const std::byte> data,
                                      const InsertObjectOptions& options = {}) const;

  Result<ObjectMetadata> GetObject(const ObjectName& object, const ObjectOptions& options = {}) const;  ///< Metadata.

  /// Reads into the caller's memory. Returns kInvalidArgument if the bytes do not fit into `buffer`.
  ///
  /// A read that breaks resumes behind the last byte delivered, of the same generation. If that generation is gone,
  /// returns kAborted. The CRC32C of a whole object is compared with the service's. If they differ, the object is read
  /// once more; if they differ again, returns kCorrupted. If the service gives no CRC32C, the read succeeds:
  /// ReadSummary::is_verified is false, Counters::unverified_reads counts the read, and a listener is told once per
  /// bucket. With ClientOptions::require_checksum it fails with kUnverified instead.
  ///
  /// Returns kBadResponse if the answer is of another generation than requested (by `generation`,
  /// `if_generation_match`, or the answer before it). Returns kBadResponse also if generation, size or checksum are
  /// malformed or contradict each other, or generation or size is missing. After a failure the content of the buffer is
  /// undefined.
  Result<ReadSummary> ReadObject(const ObjectName& object, std::span<std::byte> buffer,
                                 const ReadObjectOptions& options = {}) const;
  /// Reads chunk by chunk into a sink. The checksum is known only at the end, and the object is not read a second time.
  /// If the call returns an error, discard what the sink has taken.
  Result<ReadSummary> ReadObject(const ObjectName& object, const ByteSink& sink,
                                 const ReadObjectOptions& options = {}) const;
  /// Reads into a new string: for small objects.
  Result<std::string> ReadObject(const ObjectName& object, const ReadObjectOptions& options = {}) const;

  /// Lists one page of the objects under a prefix; listing.h lists all pages. A name outside of the prefix or the
  /// offsets is kBadResponse.
  Result<ObjectListing> ListObjects(const ObjectName& prefix, const ListOptions& options = {}) const;

  /// Changes some attributes of an object in place. Its generation stays the same, its metageneration grows.
  Result<ObjectMetadata> PatchObject(const ObjectName& object, const ObjectChanges& changes,
                                     const ObjectOptions& options = {}) const;
  /// Replaces all attributes of an object. Those that `attributes` leaves empty are removed.
  Result<ObjectMetadata> UpdateObject(const ObjectName& object, const ObjectAttributes& attributes,
                                      const ObjectOptions& options = {}) const;

  /// Joins 1 to 32 objects of one bucket into `destination` (same bucket) without moving their bytes.
  Result<ObjectMetadata> ComposeObjects(const std::vector<ComposeSource>& sources, const ObjectName& destination,
                                        const ComposeObjectsOptions& options = {}) const;

  /// Copies an object in one request, without moving its bytes through the client. If a large object changes its
  /// location or storage class, GCS may not finish in one request: use RewriteObject.
  Result<ObjectMetadata> CopyObject(const ObjectName& source, const ObjectName& destination,
                                    const CopyObjectOptions& options = {}) const;
  /// Copies an object in as many requests as it takes. The retry policy holds for each request. The new object is
  /// visible after the last one. Returns kBadResponse after 1,000 requests in a row that moved no byte, and kAborted if
  /// the source changed between two requests.
  Result<ObjectMetadata> RewriteObject(const ObjectName& source, const ObjectName& destination,
                                       const CopyObjectOptions& options = {}) const;

  /// Gives an object another name in its bucket, in one step: no other client sees both names or none of them. The
  /// object has a new generation. Takes the conditions on source and destination, and no other option that changes the
  /// object (kInvalidArgument). If the object of source_preconditions is gone, or another one is at the destination,
  /// it may have been an earlier attempt of this call; WriteOutcome of the error says so. Emulators, and services that
  /// speak this protocol, may not have it: they return an error with the status 404, 405 or 501.
  Result<ObjectMetadata> MoveObject(const ObjectName& source, const ObjectName& destination,
                                    const CopyObjectOptions& options = {}) const;

  Result<void> DeleteObject(const ObjectName& object, const ObjectOptions& options = {}) const;  ///< kNotFound if gone.

  /// What this client and its copies have done so far, in this process. Cheap to call.
  [[nodiscard]] Counters counters() const;
  /// The state of the client's gates, one for each bucket and class of requests that it has sent. Empty
  /// without ClientOptions::pace_throttled.
  [[nodiscard]] std::vector<GateStatus> flow_control() const;

 private:
  // For the other parts of this library.
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
