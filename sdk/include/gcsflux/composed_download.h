#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"

// Downloads many small objects through temporary composites. GCS joins up to 32 objects into one without moving their
// bytes; one read fetches them all; then the composite is deleted. This saves the wait for the first byte of all
// objects but one. It costs two writes (a compose and a delete), and what the bucket charges for short-lived objects.
// docs/composed_downloads.md says how it works, and when not to use it.
namespace gcsflux {

/// Whether a Downloader fetches objects through composites.
enum class CompositionMode {
  kOff,  ///< Never.
  /// Composes if measurements show that it is faster, composites cost only requests, and they are as protected as their
  /// objects: docs/composed_downloads.md lists the settings of a bucket that prevent it. If the caller may not create
  /// and delete objects, or the permissions or the settings cannot be read, the Downloader reads directly.
  /// EventListener::OnCompositionRefused and CompositionReport::reasons report this.
  kAuto,
  /// If two objects or more fit into one composite, at any cost, until three composes in a row fail in a bucket.
  /// Returns kPermissionDenied if the caller may not compose. For Cloud KMS keys see CompositionOptions::kms_key_name.
  kOn,
};

struct CompositionOptions {
  /// Set it to kAuto if objects are small. Set it to kOn for comparisons, or to get an error if composing is not
  /// possible.
  CompositionMode mode = CompositionMode::kOff;
  /// The largest size of a composite; a larger object is fetched alone. Lower it if memory is short: objects wait in
  /// memory for their turn.
  std::uint64_t max_composite_bytes = 100'000'000;
  /// The Cloud KMS key of all composites. Objects that another Cloud KMS key encrypts (DownloadSource::kms_key_name)
  /// are read directly; a key's version does not matter. Without it, objects under any key are, and kAuto composes
  /// nothing in a bucket with a default key. Cloud KMS charges for each use of a key.
  std::string kms_key_name = {};
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

/// When SIGINT or SIGTERM ends this process, deletes its composites, and what its ParallelWriters have sent and not
/// committed. This takes at most 5 seconds; then the signal has its previous effect. A second signal has that effect at
/// once. Without this function, a process that these signals end leaves composites behind, as a killed process does.
/// CleanComposites() removes them.
///
/// Call it once in a process, at the beginning of main(). A child of fork() begins with the previous signal handlers
/// and without composites; if it composes, it calls this function again. A signal that is ignored stays ignored.
/// Returns kLocalIo if the operating system refuses.
Result<void> InstallCompositeCleanup();

struct CleanOptions {
  /// Younger composites are not deleted: another process may be reading them. A composite lives for seconds; lower the
  /// age if no other program uses the bucket. If the age reaches back before the earliest date, nothing is deleted. An
  /// object counts as new if the service leaves out its time.
  std::chrono::seconds older_than{3600};
  /// Called after each object, with the bytes deleted so far and the bytes to delete in all. Called by several threads
  /// at the same time.
  ProgressCallback on_progress = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct CleanReport {
  /// Composed objects under "dataflux-composed-objects/", and all objects under "gcsflux-uploads/".
  std::uint64_t found = 0;
  std::uint64_t deleted = 0;  ///< Gone now. Another process may have deleted some of them.
  std::uint64_t deleted_bytes = 0;
  std::uint64_t kept = 0;  ///< Left alone because they are too young.
  /// Incomplete multipart uploads under "gcsflux-uploads/": those found, and those aborted.
  std::uint64_t uploads_found = 0;
  std::uint64_t uploads_aborted = 0;
  /// The caller may not list multipart uploads (storage.multipartUploads.list); none was examined.
  bool may_not_list_uploads = false;
};

/// Deletes the composites that earlier processes left in a bucket, those of gcsflux and of Google's connector for
/// PyTorch. These are objects under "dataflux-composed-objects/" that were composed and are older than
/// CleanOptions::older_than, by this machine's clock. Objects there that were never composed are kept.
///
/// It also deletes what ParallelWriters (parallel_writer.h) left under "gcsflux-uploads/": objects and multipart
/// uploads. The age of an upload counts from its start. If a writer takes longer than CleanOptions::older_than, its
/// upload is deleted and the writer fails with kSessionLost.
///
/// The first failure ends the call and is returned. What was deleted before stays deleted, and the call can be
/// repeated.
Result<CleanReport> CleanComposites(const Client& client, const std::string& bucket, const CleanOptions& options = {});

}  // namespace gcsflux
