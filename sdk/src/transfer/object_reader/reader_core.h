#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "base/process/mutex.h"
#include "base/process/owner_process.h"
#include "gcsflux/object_reader.h"
#include "loop/job_queue.h"
#include "loop/loop_condition.h"
#include "loop/request_slots.h"
#include "transfer/object_reader/chunk_memory.h"
#include "transfer/object_reader/join_ranges.h"
#include "transfer/object_reader/read_ahead.h"
#include "transfer/object_reader/request_pace.h"
#include "transfer/object_reader/scatter.h"
#include "transfer/read/pinned_object.h"
#include "transfer/read/range_checksums.h"

namespace gcsflux::internal {

/// The shared state of an ObjectReader. Thread-safe, except the cursor.
class ReaderCore {
 public:
  /// Whether TakeArrived() has bytes after ObjectReaderOptions::stop.
  enum class AfterStop { kDropsArrived, kKeepsArrived };
  /// `answered_in` as in RequestPace.
  ReaderCore(Client client, DownloadSource source, ObjectReaderOptions options,
             std::optional<std::chrono::nanoseconds> answered_in, AfterStop after_stop = AfterStop::kDropsArrived);
  ~ReaderCore();
  ReaderCore(const ReaderCore&) = delete;
  ReaderCore& operator=(const ReaderCore&) = delete;

  [[nodiscard]] const DownloadSource& source() const { return source_; }
  /// For reads without a loop.
  [[nodiscard]] PinnedObject& object() { return object_; }
  /// False if there is no loop.
  [[nodiscard]] bool is_usable() const { return slots_->is_usable(); }
  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> destination);
  /// With a checksum, returns that of each range's bytes.
  Result<std::vector<std::uint32_t>> Read(std::span<const RangeRead> ranges, std::optional<Checksum> sum);
  void Prefetch(const std::vector<ByteRange>& ranges);
  Result<std::size_t> ReadNext(std::span<std::byte> destination);
  Result<std::span<const std::byte>> NextView();
  [[nodiscard]] std::uint64_t position() const { return position_; }
  void Seek(std::uint64_t offset);
  /// The same for NextView() in a range: nothing behind it is fetched, and it returns no bytes at the range's end.
  void SeekWithin(const Range& range);
  /// For the end after a failure: what was fetched ahead and has come.
  [[nodiscard]] std::vector<ReadAhead::Arrived> TakeArrived() { return ahead_->TakeArrived(); }
  Result<void> VerifyWhole();
  [[nodiscard]] std::uint64_t requests() const { return requests_; }
  [[nodiscard]] std::uint64_t fetched_bytes() const { return fetched_bytes_; }
  [[nodiscard]] std::uint64_t read_ahead_bytes() const { return window(); }

 private:
  // The requests that one call waits for.
  struct Group {
    std::size_t pending = 0;  // Guarded by mutex_, like the error and the sums.
    std::optional<Error> error = {};
    std::vector<SummedBytes> sums = {};  // Empty if no checksum is requested.
    std::stop_source stop = {};
  };
  // Waits for the group's requests at the end of its scope.
  struct Awaited {
    ReaderCore& core;
    Group& group;
    ~Awaited();
  };
  [[nodiscard]] Result<void> CheckUsable() const;
  // Optional additions to a read of ranges.
  struct ReadExtras {
    // Called with the end of each held part when that is copied, while the rest is fetched.
    std::function<void(std::uint64_t end)> on_taken = {};
    std::optional<Checksum> sum = {};
    std::vector<SummedBytes>* sums = nullptr;  // With `sum`: gets the sums of all parts of the ranges.
  };
  Result<void> ReadRanges(const std::vector<RangeRead>& ranges, bool& waited, const ReadExtras& extras);
  std::shared_ptr<Group> Start(std::vector<JoinedRange> requests, std::optional<Checksum> sum = {});
  void RunRequest(Group& group, const JoinedRange& request, std::optional<Checksum> sum);
  void RequestEnded(Group& group, const Result<void>& fetched);
  Result<void> Await(Group& group);
  // When readers see the bytes of a request: at its end, or as they come. Bytes that are compared with a checksum at
  // the end, and may be fetched again, are not visible before.
  enum class Delivery { kAtEnd, kEarly };
  Result<void> Fetch(const Range& range, Delivery delivery, const ReadAhead::Deliver& deliver,
                     const std::stop_token& stop);
  // Bytes at the position that no chunk holds, in memory of this object.
  Result<std::span<const std::byte>> FetchOwn(bool& waited);
  void ReadAheadFrom(std::uint64_t offset);
  void Adapt(bool waited, std::size_t bytes);
  [[nodiscard]] std::uint64_t gap() const;
  // A request of this length spends most of its time on bytes, and little on waiting for the first one. A longer one
  // would only leave the CPU's caches.
  [[nodiscard]] std::uint64_t range() const;
  // The same for `total` bytes that are wanted at once. It is shorter if connections would idle otherwise.
  [[nodiscard]] std::uint64_t EvenRange(std::uint64_t total, std::uint64_t most) const;
  // How many bytes ReadNext() fetches ahead by one request.
  [[nodiscard]] std::uint64_t RangeAhead() const;
  // How far ahead: two ranges for each connection, at most.
  [[nodiscard]] std::uint64_t window() const;

  const Client client_;
  const DownloadSource source_;
  const ObjectReaderOptions options_;
  const std::uint64_t longest_range_;
  const OwnerProcess owner_;
  PinnedObject object_;
  RequestPace pace_;
  std::atomic<std::uint64_t> requests_ = 0;
  std::atomic<std::uint64_t> fetched_bytes_ = 0;
  std::atomic<std::uint64_t> window_;

  Mutex mutex_;
  LoopCondition arrivals_;
  RangeChecksums checksums_ GUARDED_BY(mutex_);

  // Used by the thread of ReadNext(), NextView() and Seek().
  std::uint64_t position_ = 0;
  std::uint64_t stream_end_;      // NextView() ends here.
  std::uint64_t ahead_end_ = 0;   // Up to here it has been fetched ahead.
  std::uint64_t easy_bytes_ = 0;  // Bytes read since the caller last waited.
  std::shared_ptr<Chunk> lent_;   // Holds the bytes that NextView() returned last. If null, own_ holds them.
  ChunkMemory own_;

  std::unique_ptr<RequestSlots> slots_;
  std::shared_ptr<JobQueue> jobs_;
  std::unique_ptr<ReadAhead> ahead_;
  // Ends what is fetched ahead: otherwise hanging answers could keep all slots, and a stopped call would wait for one.
  std::stop_callback<std::function<void()>> on_stop_;  // Last.
};

}  // namespace gcsflux::internal
