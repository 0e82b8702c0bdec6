#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/process/mutex.h"
#include "base/process/owner_process.h"
#include "formats/events/run_record.h"
#include "gcsflux/client.h"
#include "gcsflux/event_writer.h"
#include "gcsflux/events.h"
#include "tracking/event_destination.h"

namespace gcsflux::internal {

/// Collects records, and stores them on a thread of its own. Thread-safe, except Close().
class EventFlusher {
 public:
  /// `name` is for messages. The record of the run is stored at once. Returns kLocalIo if the system starts no thread.
  static Result<std::unique_ptr<EventFlusher>> Start(const Client& client, std::string name,
                                                     std::unique_ptr<EventDestination> destination,
                                                     EventWriterOptions options);
  ~EventFlusher() { static_cast<void>(Close("interrupted").ok()); }
  EventFlusher(const EventFlusher&) = delete;
  EventFlusher& operator=(const EventFlusher&) = delete;

  /// One message of an event.
  void Add(std::string_view message);
  /// That of a scalar.
  void AddScalar(std::string_view message, const std::string& tag, double value, std::int64_t step);
  /// An event that cannot be stored.
  void Drop(const Error& why);
  void SetDataset(std::map<std::string, double> figures);
  /// False in a child of fork(), where nothing else may be called.
  [[nodiscard]] bool IsOfThisProcess() const { return owner_.IsCurrent(); }
  /// Now, in seconds since 1970.
  [[nodiscard]] double Now() const;

  Result<void> Flush();
  /// The first call ends the run in this state, and the thread.
  Result<void> Close(const char* state);

 private:
  EventFlusher(const Client& client, std::string name, std::unique_ptr<EventDestination> destination,
               EventWriterOptions options);
  bool Enqueue(const std::string& record) REQUIRES(mutex_);
  void Run(const std::stop_token& stop);
  void FlushOnce(MutexLock<Mutex>& lock) REQUIRES(mutex_, lock);
  [[nodiscard]] RunRecord RecordNow() const REQUIRES(mutex_);
  void Report(const Error& failure) const;
  [[nodiscard]] Result<void> Outcome() const REQUIRES(mutex_);

  const OwnerProcess owner_;
  const Client client_;
  const std::string name_;
  const EventWriterOptions options_;
  const Counters counters_before_;
  const std::unique_ptr<EventDestination> destination_;  // Of the thread.
  std::stop_source cancel_;

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::string queued_ GUARDED_BY(mutex_);
  std::uint64_t queued_events_ GUARDED_BY(mutex_) = 0;
  std::string batch_
      GUARDED_BY(mutex_);  // What a flush stores. The thread reads it without the lock, and alone changes it.
  std::uint64_t batch_events_ GUARDED_BY(mutex_) = 0;
  RunRecord record_ GUARDED_BY(mutex_);
  bool has_changed_ GUARDED_BY(mutex_) = true;      // What the record tells.
  std::uint64_t requested_ GUARDED_BY(mutex_) = 1;  // Flushes.
  std::uint64_t done_ GUARDED_BY(mutex_) = 0;
  Result<void> last_ GUARDED_BY(mutex_);             // Of the last flush.
  std::optional<Error> failure_ GUARDED_BY(mutex_);  // The first one.
  bool is_reported_ GUARDED_BY(mutex_) = false;
  bool is_closed_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // Last: it ends before the members that it uses.
};

}  // namespace gcsflux::internal
