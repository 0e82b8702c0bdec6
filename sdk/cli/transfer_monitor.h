#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "cli/progress.h"
#include "cli/status_line.h"
#include "gcsflux/operation_options.h"
#include "gcsflux/result.h"

namespace gcsflux::cli {

/// What a command that moves objects has come to, shown while it goes on, and summed up at the end. Everything is said
/// on standard error: a bar where that is a terminal and --progress, each failure as it comes, one line at the end.
/// Thread-safe but for Finish().
class TransferMonitor {
 public:
  enum class Summary {
    kAlways,
    kWhereTold,  ///< On a terminal, or where something of an interrupted run was kept.
    kOfDryRun,   ///< What would be done.
  };
  explicit TransferMonitor(Summary summary);
  ~TransferMonitor();
  TransferMonitor(const TransferMonitor&) = delete;
  TransferMonitor& operator=(const TransferMonitor&) = delete;

  void Expect(std::uint64_t objects, std::uint64_t bytes);
  void NoteSkipped() { ++skipped_; }
  void NoteDeleted() { ++deleted_; }
  /// One that was expected is there already.
  void NoteSame(std::uint64_t bytes) {
    --objects_;
    bytes_ -= bytes;
    ++skipped_;
  }
  /// One object is complete, of which so many bytes had moved before.
  void NoteCopied(std::uint64_t kept_bytes);
  void NoteFailure(const Error& error);
  /// Says something, above the bar.
  void Say(const std::string& line) { status_.Say(line); }

  /// Counts the bytes of one object on their way. Each call of the callback says how far that object is.
  class Meter {
   public:
    explicit Meter(TransferMonitor& monitor) : monitor_(monitor) {}
    [[nodiscard]] ProgressCallback callback() {
      return [this](const Progress& progress) { Set(progress.bytes); };
    }
    /// So many of them are there now; those that come after were moved.
    void Set(std::uint64_t bytes) { monitor_.moved_bytes_ += bytes - at_.exchange(bytes); }

   private:
    TransferMonitor& monitor_;
    std::atomic<std::uint64_t> at_ = 0;
  };

  [[nodiscard]] TransferCounts counts() const;

  /// Ends the bar and sums up. What failed is an error, which says how many.
  Result<void> Finish();

 private:
  const Summary summary_;
  std::atomic<std::uint64_t> objects_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> copied_ = 0;
  std::atomic<std::uint64_t> moved_bytes_ = 0;
  std::atomic<std::uint64_t> kept_bytes_ = 0;
  std::atomic<std::uint64_t> skipped_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
  std::atomic<std::uint64_t> deleted_ = 0;
  StatusLine status_;  // Last: what it shows must be there.
};

}  // namespace gcsflux::cli
