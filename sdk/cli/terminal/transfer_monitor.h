#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "cli/terminal/progress.h"
#include "cli/terminal/status_line.h"
#include "gcsflux/operation_options.h"
#include "gcsflux/result.h"

namespace gcsflux::cli {

/// Counts the results of a command that moves objects, shows them meanwhile, and sums them up at the end. All output
/// goes to standard error: a bar if that is a terminal and --progress is set, each failure as it occurs, and one line
/// at the end. Thread-safe, except Finish().
class TransferMonitor {
 public:
  enum class Summary {
    kAlways,
    kWhereTold,  ///< On a terminal, or if something of an interrupted run was kept.
    kOfDryRun,   ///< What would be done.
  };
  explicit TransferMonitor(Summary summary);
  ~TransferMonitor();
  TransferMonitor(const TransferMonitor&) = delete;
  TransferMonitor& operator=(const TransferMonitor&) = delete;

  void Expect(std::uint64_t objects, std::uint64_t bytes);
  void NoteSkipped() { ++skipped_; }
  void NoteDeleted() { ++deleted_; }
  /// An object that was expected to differ is the same.
  void NoteSame(std::uint64_t bytes) {
    --objects_;
    bytes_ -= bytes;
    ++skipped_;
  }
  /// One object is complete; `kept_bytes` of it had moved before.
  void NoteCopied(std::uint64_t kept_bytes);
  void NoteFailure(const Error& error);
  /// Writes a message above the bar.
  void Say(const std::string& line) { status_.Say(line); }

  /// Counts the bytes of one object in transit. Each call of the callback gives the progress of that object.
  class Meter {
   public:
    explicit Meter(TransferMonitor& monitor) : monitor_(monitor) {}
    [[nodiscard]] ProgressCallback callback() {
      return [this](const Progress& progress) { Set(progress.bytes); };
    }
    /// This many of them are there now. Later ones count as moved.
    void Set(std::uint64_t bytes) { monitor_.moved_bytes_ += bytes - at_.exchange(bytes); }

   private:
    TransferMonitor& monitor_;
    std::atomic<std::uint64_t> at_ = 0;
  };

  [[nodiscard]] TransferCounts counts() const;

  /// Ends the bar and sums up. If objects failed, returns an error with their number.
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
  StatusLine status_;  // Last: its text uses the members above.
};

}  // namespace gcsflux::cli
