#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"

// Downloads of many small objects through temporary composites: GCS joins up to 32 objects into one without moving
// their bytes, one read fetches them all, and the composite is deleted. It saves the wait for a first byte for all but
// one of them; it costs two writes (a compose and a delete), and what a bucket charges for short-lived objects. How it
// works, and when not to use it: docs/composed_downloads.md.
namespace gcsflux {

/// Whether a Downloader fetches objects through composites.
enum class CompositionMode {
  kOff,  ///< Never.
  /// Where it is faster by what is measured, and the bucket's settings make composites cost nothing else. Where the
  /// caller may not create and delete objects, or that cannot be found out, it reads directly:
  /// EventListener::OnCompositionRefused and CompositionReport::reasons say so.
  kAuto,
  kOn,  ///< Wherever two objects or more fit into one, whatever that costs. Where the caller may not:
        ///< kPermissionDenied.
};

struct CompositionOptions {
  /// Set it to kAuto where objects are small; to kOn to compare, or to be told by an error where it cannot compose.
  CompositionMode mode = CompositionMode::kOff;
  /// Of one composite; an object that is larger is fetched by itself. Lower it where memory for objects that wait for
  /// their turn is short.
  std::uint64_t max_composite_bytes = 100'000'000;
};

/// What composition has done for a Downloader.
struct CompositionReport {
  std::uint64_t composites = 0;        ///< Made, or perhaps made: a compose whose answer was lost counts.
  std::uint64_t deleted = 0;           ///< Of them, those that are known to be gone.
  std::uint64_t composed_objects = 0;  ///< Fetched through composites.
  std::uint64_t direct_objects = 0;    ///< Fetched by themselves, large ones in ranges.
  std::uint64_t fallbacks = 0;  ///< Objects that were to be fetched through a composite that failed: direct ones, too.
  /// By bucket, why nothing is composed there: a setting, a permission that is missing.
  std::map<std::string, std::string> reasons = {};
  /// By bucket, what composing costs there all the same: kOn does it, and says so here.
  std::map<std::string, std::string> warnings = {};
  std::string last_failure = {};  ///< Of a composite, or of its deletion; empty where all went well.
};

/// Deletes the composites of this process, those that it still has, when it is ended by SIGINT or SIGTERM, and what its
/// ParallelWriters have sent and not committed: for at most 5 seconds, then the signal does what it did before. A
/// second signal does so at once. Without it a process that is ended so leaves composites behind, as one that is killed
/// does: CleanComposites() removes them.
///
/// A child of fork() begins with the signals as they were before, and without composites; one that composes calls it
/// again. Call it once in a process, at the beginning of a program's main(). A signal that is ignored stays ignored.
/// kLocalIo where the operating system refuses.
Result<void> InstallCompositeCleanup();

struct CleanOptions {
  /// Composites that are younger are left alone: somebody may be reading them. A composite lives for seconds; lower it
  /// where no other program uses the bucket. One that reaches back beyond all dates deletes nothing.
  std::chrono::seconds older_than{3600};
  /// Told of the bytes that are gone, of all those to be deleted, after each object. Called on several threads at the
  /// same time.
  ProgressCallback on_progress = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct CleanReport {
  /// Composed objects under "dataflux-composed-objects/", and all objects under "gcsflux-uploads/".
  std::uint64_t found = 0;
  std::uint64_t deleted = 0;  ///< Gone now; somebody else may have been faster.
  std::uint64_t deleted_bytes = 0;
  std::uint64_t kept = 0;  ///< Too young.
  /// Multipart uploads under "gcsflux-uploads/" that were not completed: those found, and those aborted.
  std::uint64_t uploads_found = 0;
  std::uint64_t uploads_aborted = 0;
  /// The caller may not list multipart uploads (storage.multipartUploads.list): none was looked at.
  bool may_not_list_uploads = false;
};

/// Deletes the composites that processes have left in a bucket, ours and those of Google's connector for PyTorch: what
/// is stored under "dataflux-composed-objects/", was composed, and is older than the options say, by this machine's
/// clock. Objects there that were never composed are not looked at. Likewise it deletes what ParallelWriters
/// (parallel_writer.h) have left under "gcsflux-uploads/", objects and multipart uploads alike. An upload is as old as
/// its beginning: a writer that takes longer than CleanOptions::older_than fails with kSessionLost.
///
/// The first failure ends it as that error: what was deleted until then is gone, and it can be called again.
Result<CleanReport> CleanComposites(const Client& client, const std::string& bucket, const CleanOptions& options = {});

}  // namespace gcsflux
