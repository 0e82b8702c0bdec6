#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gcsflux::cli {

/// Requests that may be in flight at a time, given out several at once: to one large file as many as it has use for.
/// Whoever comes first is served first, so that nobody who wants many waits for ever. Thread-safe.
class RequestSlots {
 public:
  explicit RequestSlots(int total) : total_(total), free_(total) {}
  RequestSlots(const RequestSlots&) = delete;
  RequestSlots& operator=(const RequestSlots&) = delete;

  /// Some slots, for as long as this lives.
  class Lease {
   public:
    /// Waits for `count` of them, or for all there are where that is fewer.
    Lease(RequestSlots& slots, int count) : slots_(slots), count_(slots.Take(count)) {}
    ~Lease() { slots_.GiveBack(count_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    [[nodiscard]] int count() const { return count_; }

   private:
    RequestSlots& slots_;
    const int count_;
  };

 private:
  int Take(int count);
  void GiveBack(int count);

  const int total_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int free_;  // Guarded by mutex_, as are the following.
  std::uint64_t next_ticket_ = 0;
  std::uint64_t now_serving_ = 0;
};

/// How many connections a download of so many bytes has use for: one for each stripe of it.
int ConnectionsFor(std::uint64_t bytes, int most);

}  // namespace gcsflux::cli
