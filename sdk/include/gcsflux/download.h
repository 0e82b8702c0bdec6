#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/composed_download.h"
#include "gcsflux/listing.h"

namespace gcsflux {

namespace internal {
class DownloaderCore;
class StreamRecipient;
template <class T>
class PerProcess;
}  // namespace internal

/// An object to download, as a listing shows it. Its bytes are those of this generation; that their number and their
/// CRC32C are the listed ones is checked.
struct DownloadSource {
  ObjectName object = {};
  std::uint64_t size = 0;       ///< In bytes, as stored.
  std::int64_t generation = 0;  ///< Never 0 for a stored object.
  std::optional<std::uint32_t> crc32c = {};
};

std::vector<DownloadSource> DownloadSources(std::span<const ObjectMetadata> objects);
/// Of a listing of `bucket`.
std::vector<DownloadSource> DownloadSources(const std::string& bucket, std::span<const ListedObject> objects);

/// Gives memory for so many bytes: pinned memory, a tensor's storage, which the pointer's deleter keeps. Called by
/// several threads at the same time, never for no bytes. Null, or what it throws, fails what the memory was for, as
/// kInvalidArgument.
using Allocator = std::function<std::shared_ptr<std::byte[]>(std::size_t bytes)>;

/// What the failure of one object means for the others that are downloaded with it.
enum class OnFailure {
  kFailAll,  ///< The download fails, with the error of that object.
  kDeliver,  ///< Each object that fails is delivered as an error of its own.
};

struct DownloaderOptions {
  /// Requests in flight at most, over all callers: from 1 to kMaxConcurrency. Raise it until the network is full. Each
  /// holds a connection and, besides its object, 70 KiB (of 4,096) to 150 KiB (of 256; measured). Threads are
  /// ClientOptions::io_threads, however many requests there are. Where the limit on open files is lower, it is that.
  int max_concurrency = 16;
  /// Finds how many requests are in flight: begins with up to 64, and adds more, up to max_concurrency, while that
  /// makes reads faster and nothing is throttled (docs/downloads.md). False keeps max_concurrency of them. Set it, with
  /// a max_concurrency of 256, where it is not known how many fill the network.
  bool adapts_concurrency = false;
  /// Larger objects are read as several ranges of about this size at the same time; 0 reads each in one request. Lower
  /// it where few large objects are read over many connections, raise it where the first byte of a request is slow.
  std::uint64_t stripe_bytes = std::uint64_t{16} << 20;
  OnFailure on_failure = OnFailure::kFailAll;
  Allocator allocator = {};  ///< Plain memory, not zeroed, where null.
  /// Under which all of the objects are stored.
  std::optional<EncryptionKey> encryption_key = {};
  /// Small objects many at a time, through temporary composites.
  CompositionOptions composition = {};
  CallOptions call = {};  ///< Of each request.
};

/// Whole objects in memory. Views stay valid for the life of the batch, moves included, and where memory() is null as
/// long as the caller's memory.
class ObjectBatch {
 public:
  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  /// Empty where the object failed.
  [[nodiscard]] std::span<const std::byte> operator[](std::size_t index) const { return objects_[index]; }
  /// Of an object that failed, under OnFailure::kDeliver.
  [[nodiscard]] const std::optional<Error>& error(std::size_t index) const { return errors_[index]; }
  /// The block that holds the objects one behind the other, in their order; null where the caller gave the memory, and
  /// where there are no bytes.
  [[nodiscard]] const std::shared_ptr<std::byte[]>& memory() const { return memory_; }

 private:
  friend class Downloader;
  std::shared_ptr<std::byte[]> memory_;
  std::vector<std::span<std::byte>> objects_;
  std::vector<std::optional<Error>> errors_;
};

/// One object of a DownloadStream.
struct DownloadedObject {
  std::size_t index = 0;                     ///< Among the sources.
  std::shared_ptr<std::byte[]> memory = {};  ///< Keeps `bytes`.
  std::span<const std::byte> bytes = {};     ///< Empty where it failed.
  std::optional<Error> error = {};           ///< Only under OnFailure::kDeliver.
};

enum class DeliveryOrder {
  kInOrder,      ///< That of the sources.
  kAsCompleted,  ///< Soonest: a slow object holds up none of the others.
};

struct DownloadStreamOptions {
  DeliveryOrder order = DeliveryOrder::kInOrder;
  /// Ends the stream: Next() returns kCancelled.
  std::stop_token stop = {};
};

/// Objects one after the other, fetched ahead of being asked for as far as ClientOptions::max_undelivered_bytes goes,
/// which all streams of a client share. Nothing is fetched before the first Next().
///
/// For one thread at a time. Destruction ends what is being fetched and gives its memory back. It may outlive its
/// Downloader, whose connections it holds. In a child of fork(), Next() of a parent's stream returns kForked.
class DownloadStream {
 public:
  DownloadStream(DownloadStream&&) noexcept;
  DownloadStream& operator=(DownloadStream&&) noexcept;
  ~DownloadStream();

  /// The next object, or nothing after the last one: never fewer than there are sources. Waits until it is there.
  /// An error ends the stream, and is returned by every later call: under OnFailure::kFailAll that of the first object
  /// that failed, when its turn comes.
  Result<std::optional<DownloadedObject>> Next();

 private:
  friend class Downloader;
  explicit DownloadStream(std::shared_ptr<internal::StreamRecipient> recipient);
  std::shared_ptr<internal::StreamRecipient> recipient_;
};

/// Downloads many objects at once, on the event loops of its client (ClientOptions::io_threads). Thread-safe:
/// concurrent callers share max_concurrency, in turn. A handle: copies share it too. The end of the last copy and the
/// last stream waits, for 10 s at most, until composites are deleted.
///
/// The first Downloader of a client starts the loops. Where the system starts fewer of them, or allows fewer open
/// files than connections, it downloads with those, and EventListener::OnThreadShortage says so; where it starts no
/// loop, each download and stream is kLocalIo. In a child of fork() the first call starts loops of the child's own, and
/// leaves the parent's composites to the parent.
class Downloader {
 public:
  explicit Downloader(Client client, const DownloaderOptions& options = {});

  /// Fetches the objects into one block of memory, in the order asked.
  ///
  /// An object that was overwritten or deleted since it was listed is kNotFound, unless the bucket keeps old
  /// generations. One whose bytes are not as many as listed, or have another CRC32C even when they are read once more,
  /// is kCorrupted. kInvalidArgument where there is no memory for them all, whatever OnFailure says.
  Result<ObjectBatch> Download(std::span<const DownloadSource> sources, std::stop_token stop = {}) const;

  /// The same into the caller's memory: one destination for each source, of just its size, else kInvalidArgument. After
  /// a failure they hold anything.
  Result<ObjectBatch> Download(std::span<const DownloadSource> sources,
                               std::span<const std::span<std::byte>> destinations, std::stop_token stop = {}) const;

  /// Fetches them one after the other as they are asked for.
  [[nodiscard]] DownloadStream Stream(std::vector<DownloadSource> sources,
                                      const DownloadStreamOptions& options = {}) const;

  /// What composition has done so far, for all downloads of this Downloader. Cheap.
  [[nodiscard]] CompositionReport composition_report() const;

 private:
  std::shared_ptr<const internal::PerProcess<const internal::DownloaderCore>> cores_;
};

}  // namespace gcsflux
