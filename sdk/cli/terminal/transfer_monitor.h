#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "cli/terminal/progress.h"
#include "cli/terminal/status_line.h"
#include "gcsflux/operation_options.h"
#include "gcsflux/result.h"

namespace gcsflux::cli {

/// Counts the results of a command that moves objects, shows them meanwhile, and sums them up at the end. All output
/// goes to standard error: a bar if that is a terminal and --progress is set, each failure as it occurs, and one line
/// at the end. --quiet leaves only failures. Thread-safe, except Finish().
class TransferMonitor {
 public:
  enum class Summary {
    kAlways,
    kOfOne,     ///< On a terminal, or if something was skipped or kept. A failure is the result, and not reported here.
    kOfDryRun,  ///< What would be done.
  };
  /// `is_shown`: with a bar. Where the objects themselves go to the terminal, it would be among their bytes.
  explicit TransferMonitor(Summary summary, bool is_shown = true);
  ~TransferMonitor();
  TransferMonitor(const TransferMonitor&) = delete;
  TransferMonitor& operator=(const TransferMonitor&) = delete;

  void Expect(std::uint64_t objects, std::uint64_t bytes) { Add({.objects = objects, .bytes = bytes}); }
  void NoteSkipped() { Add({.skipped = 1}); }
  void NoteDeleted() { Add({.deleted = 1}); }
  /// An object that was expected to differ is the same.
  void NoteSame(std::uint64_t bytes);
  /// One object is complete; `kept_bytes` of it had moved before.
  void NoteCopied(std::uint64_t kept_bytes);
  void NoteFailure(const Error& error);
  /// Writes a message above the bar.
  void Say(const std::string& line) { status_.Say(line); }

  /// Counts the bytes of one object in transit.
  class Meter {
   public:
    explicit Meter(TransferMonitor& monitor) : monitor_(monitor) {}
    /// This many of them are there now. Later ones count as moved.
    void Set(std::uint64_t bytes) {
      const std::scoped_lock lock(monitor_.mutex_);
      monitor_.counts_.moved_bytes += bytes - at_;
      at_ = bytes;
    }

   private:
    TransferMonitor& monitor_;
    std::uint64_t at_ = 0;  // Guarded by the monitor's mutex.
  };

  [[nodiscard]] TransferCounts counts() const {
    const std::scoped_lock lock(mutex_);
    return counts_;
  }

  /// Ends the bar and sums up. If objects failed, returns an error with their number; of one object, its error.
  Result<void> Finish();

 private:
  void Add(const TransferCounts& more);

  const Summary summary_;
  mutable std::mutex mutex_;
  TransferCounts counts_;              // Guarded by mutex_.
  std::optional<Error> failure_ = {};  // The first one; guarded by mutex_.
  StatusLine status_;                  // Last: its text uses the members above.
};

}  // namespace gcsflux::cli
