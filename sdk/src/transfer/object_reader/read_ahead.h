#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/process/mutex.h"
#include "client/delivery_budget.h"
#include "gcsflux/result.h"
#include "loop/job_queue.h"
#include "loop/loop_condition.h"
#include "transfer/object_reader/chunk_memory.h"
#include "transfer/read/range_checksums.h"

namespace gcsflux::internal {

/// Bytes of an object that are fetched ahead. ReadAhead's mutex guards what its fetch and its readers share; bytes
/// before `arrived` do not change any more.
struct Chunk {
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  Range range = {};
  ChunkMemory memory = {};
  std::uint64_t arrived = 0;
  std::uint64_t awaited = kNone;  ///< The fewest bytes that a waiting reader needs.
  std::uint64_t consumed = 0;
  std::optional<Error> error = {};
  bool is_kept = false;       ///< It is kept after it was read.
  bool is_of_stream = false;  ///< Made for ReadNext().
  std::stop_source stop = {};
  std::function<void(ChunkMemory memory)> on_end = {};

  ~Chunk() {
    if (on_end) on_end(std::move(memory));
  }
};

/// The place of requested bytes in a chunk.
struct HeldPart {
  std::shared_ptr<Chunk> chunk;
  std::uint64_t offset = 0;  ///< Offset in the object.
  std::span<std::byte> destination = {};
};

/// Bytes of a chunk, which stay while it is held.
struct PinnedPart {
  std::shared_ptr<Chunk> chunk;  ///< Null if there are none.
  std::span<const std::byte> bytes = {};
};

/// The bytes that a reader has fetched ahead. Chunks are begun as the client's DeliveryBudget admits them. If a read
/// finds no chunk, it fetches for itself, so that it never waits for another reader. Thread-safe.
class ReadAhead {
 public:
  /// Fetches the range: calls `deliver(offset, bytes)` with the bytes in order.
  using Deliver = std::function<void(std::uint64_t offset, std::span<const std::byte> bytes)>;
  using Fetch = std::function<Result<void>(const Range& range, const Deliver& deliver, const std::stop_token& stop)>;

  /// A chunk of `object_size` bytes is compared with the object's checksum, and may be fetched again: readers do not
  /// see its bytes before. The bytes of other chunks are visible as they come, the last ones when the fetch has
  /// succeeded.
  ReadAhead(DeliveryBudget& budget, JobQueue& jobs, std::uint64_t limit, std::uint64_t object_size, Fetch fetch);
  /// Call it after Close(), when none of its jobs is left.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  /// Ends the fetches in progress, also those of chunks that were dropped.
  void Close();
  /// The same, but TakeArrived() still returns the bytes that have come.
  void EndFetches();

  /// Fetches each of these ranges as one chunk, unless it is there already. Returns how many of them fit.
  std::size_t Want(const std::vector<Range>& ranges, bool is_of_stream);
  /// Fetches the range at once, and keeps it. It does not count in the budget.
  void Keep(const Range& range);
  /// Releases the memory that was kept for further chunks. Call it when nothing more is wanted.
  void DropSpareMemory();
  /// Drops chunks for ReadNext() that end before this offset.
  void DropBefore(std::uint64_t offset);
  /// Drops chunks for ReadNext() outside of this range.
  void KeepOfStream(const Range& range);

  /// The parts of the range that chunks hold, or will soon hold. `rest` is the remainder. Chunks whose fetch has failed
  /// are dropped.
  std::vector<HeldPart> Find(std::uint64_t offset, std::span<std::byte> destination,
                             std::vector<std::pair<std::uint64_t, std::span<std::byte>>>& rest);
  /// Waits for the part's bytes and copies them. If their fetch fails meanwhile, returns its error. Returns false if
  /// the fetch was cancelled, or `stop` was stopped: then the caller fetches by itself. Sets `waited` if it had to
  /// wait.
  Result<bool> Take(const HeldPart& part, const std::stop_token& stop, bool& waited);
  /// The bytes of the chunk that holds this offset, from there on. Waits until the chunk is there, or a megabyte of it.
  /// Returns no chunk if none holds the offset, its fetch was cancelled, or `stop` was stopped. If its fetch has
  /// failed, returns the bytes that came before, then the error once.
  Result<PinnedPart> Pin(std::uint64_t offset, const std::stop_token& stop, bool& waited);
  /// The bytes of each chunk that have come, in the order of their offsets. Drops all chunks.
  struct Arrived {
    std::shared_ptr<Chunk> chunk;
    std::span<const std::byte> bytes = {};  ///< From the chunk's offset on.
  };
  std::vector<Arrived> TakeArrived();
  /// Makes the callers that wait in Take() and Pin() check their stop_tokens.
  void Wake();

  /// The first part of the range that no chunk holds. If chunks hold all of it, it is empty, at the range's end.
  [[nodiscard]] Range FirstGap(const Range& range) const;

 private:
  struct Wanted {
    Range range = {};
    bool is_of_stream = false;
  };
  // Waits until the chunk has `needed` bytes. Returns false if its fetch was cancelled, or `stop` was
  // stopped.
  Result<bool> AwaitBytes(MutexLock<Mutex>& lock, Chunk& chunk, std::uint64_t needed, const std::stop_token& stop,
                          bool& waited) REQUIRES(mutex_, lock);
  // Called when a reader has taken this many bytes of the chunk. If the chunk is no longer needed,
  // returns it, and the caller destroys it without the lock.
  std::shared_ptr<Chunk> Consume(Chunk& chunk, std::uint64_t bytes) REQUIRES(mutex_);
  void DropOfStream(const std::function<bool(const Range&)>& is_dropped);
  void Pump();
  void OnAdmitted();
  void Begin(const Wanted& wanted, bool is_kept) REQUIRES(mutex_);
  ChunkMemory TakeMemory(std::uint64_t bytes, bool is_kept) REQUIRES(mutex_);
  [[nodiscard]] std::uint64_t SpareBytes() const REQUIRES(mutex_);
  void GiveBack(const Wanted& wanted, std::uint64_t taken, ChunkMemory memory);
  void Run(const std::shared_ptr<Chunk>& chunk);
  [[nodiscard]] bool OverlapsChunk(const Range& range) const REQUIRES(mutex_);
  [[nodiscard]] bool OverlapsWanted(const Range& range) const REQUIRES(mutex_);
  [[nodiscard]] std::uint64_t HeldBytes() const REQUIRES(mutex_);

  DeliveryBudget& budget_;
  JobQueue& jobs_;
  const std::uint64_t limit_;
  const std::uint64_t object_size_;
  const Fetch fetch_;
  DeliveryBudget::Consumer consumer_ = 0;

  mutable Mutex mutex_;
  LoopCondition arrivals_;
  std::map<std::uint64_t, std::shared_ptr<Chunk>> chunks_ GUARDED_BY(mutex_);  // By offset.
  // Chunks whose fetch is in progress. A dropped chunk is only here: its fetch may take as long as the service likes.
  std::set<std::shared_ptr<Chunk>> fetching_ GUARDED_BY(mutex_);
  std::deque<Wanted> wanted_ GUARDED_BY(mutex_);
  std::optional<Wanted> asked_ GUARDED_BY(mutex_);  // Requested from the budget.
  // Memory of chunks that were read. It is used again, which is faster than new memory from the system.
  std::vector<ChunkMemory> spare_ GUARDED_BY(mutex_);
  // The memory of all chunks that are not kept, also of dropped chunks whose requests have not ended.
  std::uint64_t alive_bytes_ GUARDED_BY(mutex_) = 0;
  bool is_closed_ GUARDED_BY(mutex_) = false;
  bool has_ended_ GUARDED_BY(mutex_) = false;
};

}  // namespace gcsflux::internal
