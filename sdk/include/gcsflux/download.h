#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/listing.h"

// Downloads many small objects through temporary composites. GCS joins up to 32 objects into one without moving their
// bytes; one read fetches them all; then the composite is deleted. This saves the wait for the first byte of all
// objects but one. It costs two writes (a compose and a delete), and what the bucket charges for short-lived objects.
// docs/downloads.md says how it works, and when not to use it.
namespace gcsflux {

/// Whether a Downloader fetches objects through composites.
enum class CompositionMode {
  kOff,  ///< Never.
  /// Composes if measurements show that it is faster, composites cost only requests, and they are as protected as their
  /// objects: docs/downloads.md lists the settings of a bucket that prevent it. If the caller may not create
  /// and delete objects, or the permissions or the settings cannot be read, the Downloader reads directly.
  /// EventKind::kCompositionRefused and CompositionReport::reasons report this.
  kAuto,
  /// If two objects or more fit into one composite, at any cost, until three composes in a row fail in a bucket.
  /// Returns kPermissionDenied if the caller may not compose. For Cloud KMS keys see
  /// DownloaderOptions::composition_kms_key_name.
  kOn,
};

/// What composition has done for a Downloader.
struct CompositionReport {
  /// Composites made. A compose with a lost answer counts, because it may have made one.
  std::uint64_t composites = 0;
  std::uint64_t deleted = 0;           ///< Composites that are known to be deleted.
  std::uint64_t composed_objects = 0;  ///< Objects fetched through composites.
  std::uint64_t direct_objects = 0;    ///< Objects fetched directly; large ones as several ranges.
  /// Objects whose composite failed. They are fetched directly, and count as direct_objects too.
  std::uint64_t fallbacks = 0;
  /// By bucket: why no composite is made there, or of some objects, such as a setting or a missing permission.
  std::map<std::string, std::string> reasons = {};
  /// By bucket: what composing costs there. kOn composes despite it.
  std::map<std::string, std::string> warnings = {};
  std::string last_failure = {};  ///< The last failure of a composite or of its deletion; empty if there was none.
};

/// When SIGINT or SIGTERM ends this process, deletes its composites, and what its ObjectWriters have sent and not
/// committed. This takes at most 5 seconds; then the signal has its previous effect. A second signal has that effect at
/// once. Without this function, a process that these signals end leaves composites behind, as a killed process does.
/// CleanComposites() removes them.
///
/// Call it once in a process, at the beginning of main(). A child of fork() begins with the previous signal handlers
/// and without composites; if it composes, it calls this function again. A signal that is ignored stays ignored.
/// Returns kLocalIo if the operating system refuses.
Result<void> InstallCompositeCleanup();

/// For CleanComposites().
struct CleanOptions {
  /// Younger composites are not deleted: another process may be reading them. A composite lives for seconds; lower the
  /// age if no other program uses the bucket. If the age reaches back before the earliest date, nothing is deleted. An
  /// object counts as new if the service leaves out its time.
  std::chrono::seconds older_than{3600};
  /// Deletes and aborts nothing; the report says what would be.
  bool is_dry_run = false;
  /// Called after each object, with the bytes deleted so far and the bytes to delete in all. Called by several threads
  /// at the same time.
  ProgressCallback on_progress = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// What CleanComposites() deleted.
struct CleanReport {
  /// Composed objects under "dataflux-composed-objects/", and all objects under "gcsflux-uploads/".
  std::uint64_t found = 0;
  std::uint64_t deleted = 0;        ///< Gone now. Another process may have deleted some of them.
  std::uint64_t deleted_bytes = 0;  ///< Of objects.
  std::uint64_t kept = 0;           ///< Left alone because they are too young.
  /// Incomplete multipart uploads under "gcsflux-uploads/": those found, and those aborted.
  std::uint64_t uploads_found = 0;
  std::uint64_t uploads_aborted = 0;  ///< Of uploads_found.
  /// The caller may not list multipart uploads (storage.multipartUploads.list); none was examined.
  bool may_not_list_uploads = false;
};

/// Deletes the composites that earlier processes left in a bucket, those of gcsflux and of Google's connector for
/// PyTorch. These are objects under "dataflux-composed-objects/" that were composed and are older than
/// CleanOptions::older_than, by this machine's clock. Objects there that were never composed are kept.
///
/// It also deletes what ObjectWriters (upload.h) left under "gcsflux-uploads/": objects and multipart
/// uploads. The age of an upload counts from its start. If a writer takes longer than CleanOptions::older_than, its
/// upload is deleted and the writer fails with kSessionLost.
///
/// The first failure ends the call and is returned. What was deleted before stays deleted, and the call can be
/// repeated.
Result<CleanReport> CleanComposites(const Client& client, const std::string& bucket, const CleanOptions& options = {});

namespace internal {
class DownloaderCore;
class StreamRecipient;
template <class T>
class PerProcess;
}  // namespace internal

/// An object to download, as a listing shows it, or a part of one. The download reads exactly this generation. It
/// checks that the size and the CRC32C are the listed ones.
struct DownloadSource {
  ObjectName object = {};                    ///< Its bucket and name.
  std::uint64_t size = 0;                    ///< In bytes, as stored.
  std::int64_t generation = 0;               ///< Never 0 for a stored object.
  std::optional<std::uint32_t> crc32c = {};  ///< As listed.
  InternedName kms_key_name = {};            ///< As in a listing; see DownloaderOptions::composition_kms_key_name.
  /// If set, only the part of the object that begins here: `size` and `crc32c` are those of the part. Consecutive
  /// sources that are neighbouring parts of one object are read by one request. For a Downloader; an ObjectReader
  /// refuses parts.
  std::optional<std::uint64_t> offset = {};
};

std::vector<DownloadSource> DownloadSources(std::span<const ObjectMetadata> objects);
/// The objects of a listing of `bucket`.
std::vector<DownloadSource> DownloadSources(const std::string& bucket, std::span<const ListedObject> objects);

/// Gives memory of this size, such as pinned memory or a tensor's storage; the pointer's deleter releases it. Several
/// threads call it at the same time, never with 0. If it returns null or throws, the download that needs the memory
/// fails with kInvalidArgument.
using Allocator = std::function<std::shared_ptr<std::byte[]>(std::size_t bytes)>;

/// How a Downloader and its streams fetch.
struct DownloaderOptions {
  /// Most requests in flight, over all callers: from 1 to kMaxConcurrency. Raise it until the network is full. Each
  /// request holds a connection, and 70 KiB (with 4,096 requests) to 150 KiB (with 256; measured) beside its object.
  /// The number of threads is ClientOptions::io_threads for any number of requests. If the limit on open files is
  /// lower, that limit holds.
  int max_concurrency = 16;
  /// Measures how many requests in flight are best. It begins with up to 64, and adds more, up to max_concurrency,
  /// while reads get faster and nothing is throttled (docs/downloads.md). With false there are max_concurrency
  /// requests. Set it, with a max_concurrency of 256, if you do not know how many requests fill the network.
  bool adapts_concurrency = false;
  /// A larger object is read as several ranges of about this size at the same time. With 0, each object is read in one
  /// request. Lower it if few large objects are read over many connections. Raise it if the first byte of a request is
  /// slow.
  std::uint64_t range_bytes = std::uint64_t{16} << 20;
  /// If true, each failed object is delivered as an error of its own. If false, the first failure fails the whole
  /// download, with the error of that object. Set it if the other objects are of use without the failed ones.
  bool delivers_failures = false;
  Allocator allocator = {};  ///< With null, plain memory that is not zeroed.
  /// The key under which all objects are stored.
  std::optional<EncryptionKey> encryption_key = {};
  /// Fetches many small objects at a time through temporary composites. Set it to kAuto if objects are small. Set it to
  /// kOn for comparisons, or to get an error if composing is not possible.
  CompositionMode composition = CompositionMode::kOff;
  /// The largest size of a composite; a larger object is fetched alone. Lower it if memory is short: objects wait in
  /// memory for their turn.
  std::uint64_t max_composite_bytes = 100'000'000;
  /// The Cloud KMS key of all composites. Objects that another Cloud KMS key encrypts (DownloadSource::kms_key_name)
  /// are read directly; a key's version does not matter. Without it, objects under any key are, and kAuto composes
  /// nothing in a bucket with a default key. Cloud KMS charges for each use of a key.
  std::string composition_kms_key_name = {};
  CallOptions call = {};  ///< For each request.
};

/// A whole object in memory.
struct DownloadedObject {
  std::size_t index = 0;  ///< Index in the sources.
  /// Keeps `bytes`. A Download() has one block for all objects, in order. Null if the caller gave the memory: `bytes`
  /// is valid as long as that.
  std::shared_ptr<std::byte[]> memory = {};
  std::span<const std::byte> bytes = {};  ///< Empty if the object failed.
  std::optional<Error> error = {};        ///< Only with DownloaderOptions::delivers_failures.
};

/// Delivers objects one after the other. They are fetched ahead within ClientOptions::max_undelivered_bytes, which all
/// streams of a client share. Nothing is fetched before the first Next().
///
/// For one thread at a time. Destruction cancels what is being fetched and releases the memory. A stream may outlive
/// its Downloader, and keeps its connections.
class DownloadStream {
 public:
  DownloadStream(DownloadStream&&) noexcept;
  DownloadStream& operator=(DownloadStream&&) noexcept;
  ~DownloadStream();

  /// Waits for the next object. Returns nothing after the last one, which comes only after as many objects as there are
  /// sources. An error ends the stream, and every later call returns it. Without delivers_failures the error of the
  /// first failed object comes when it is that object's turn.
  Result<std::optional<DownloadedObject>> Next();

 private:
  friend class Downloader;
  explicit DownloadStream(std::shared_ptr<internal::StreamRecipient> recipient);
  std::shared_ptr<internal::StreamRecipient> recipient_;
};

/// Downloads many objects at once, on the event loops of its client (ClientOptions::io_threads). Thread-safe:
/// concurrent callers share max_concurrency in turn. A handle: copies share it too. The destructor of the last copy or
/// stream waits at most 10 s for the deletion of composites.
///
/// The first Downloader of a client starts the loops. If the system starts fewer loops, or allows fewer open files than
/// connections, the Downloader works with those, and reports EventKind::kThreadShortage. If the system starts no
/// loop, each download and stream returns kLocalIo. In a child of fork() the first call starts loops of the child, and
/// leaves the parent's composites to the parent.
class Downloader {
 public:
  Downloader(const Downloader&) = default;  // A move copies, so that it leaves a handle that works.
  Downloader& operator=(const Downloader&) = default;

  explicit Downloader(Client client, const DownloaderOptions& options = {});  ///< Makes no request.

  /// Fetches the objects into one block of memory, in the order of `sources`.
  ///
  /// If an object was overwritten or deleted after it was listed, and the bucket keeps no old generations, it is
  /// kNotFound. If its size is not the listed one, or its CRC32C is still wrong after a second read, it is kCorrupted.
  /// If there is no memory for all objects, returns kInvalidArgument, with delivers_failures too.
  Result<std::vector<DownloadedObject>> Download(std::span<const DownloadSource> sources,
                                                 const std::stop_token& stop = {}) const;

  /// Downloads into the caller's memory. There is one destination of exactly the right size for each source; otherwise
  /// returns kInvalidArgument. After a failure the content of the destinations is undefined.
  Result<std::vector<DownloadedObject>> Download(std::span<const DownloadSource> sources,
                                                 std::span<const std::span<std::byte>> destinations,
                                                 const std::stop_token& stop = {}) const;

  /// Delivers the objects one after the other, as the caller asks for them. If `stop` ends the stream, Next() returns
  /// kCancelled.
  [[nodiscard]] DownloadStream Stream(std::vector<DownloadSource> sources,
                                      DeliveryOrder order = DeliveryOrder::kInOrder, std::stop_token stop = {}) const;

  /// What composition has done for all downloads of this Downloader so far. Cheap.
  [[nodiscard]] CompositionReport composition_report() const;

 private:
  std::shared_ptr<const internal::PerProcess<const internal::DownloaderCore>> cores_;
};

// CRC32C of bytes, as Cloud Storage shows it in ObjectMetadata::crc32c. All functions are thread-safe.

/// CRC32C of `bytes`. If others came before them, `before` is the CRC32C of those.
std::uint32_t Crc32cOf(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// CRC32C of a regular file. Returns kLocalIo if it cannot be read, and kCancelled if it is stopped.
Result<std::uint32_t> Crc32cOfFile(const std::string& path, const std::stop_token& stop = {});

/// For code that reads an object in ranges: compares the CRC32C of all bytes that came with the object's. Returns
/// kCorrupted if they differ. If the service gave no CRC32C, the client's listener is told of an unverified read; under
/// ClientOptions::require_checksum the result is kUnverified.
Result<void> CompareWithObject(const Client& client, const DownloadSource& source, std::uint32_t crc32c);

}  // namespace gcsflux
