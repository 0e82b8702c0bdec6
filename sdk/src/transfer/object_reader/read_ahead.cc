#include "transfer/object_reader/read_ahead.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/process/mutex.h"

namespace gcsflux::internal {

// Chunks are never destroyed under the lock: their destruction makes room for others, whose callbacks may call this
// object.
using Dropped = std::vector<std::shared_ptr<Chunk>>;

ReadAhead::ReadAhead(DeliveryBudget& budget, JobQueue& jobs, std::uint64_t limit, std::uint64_t object_size,
                     Fetch fetch)
    : budget_(budget), jobs_(jobs), limit_(limit), object_size_(object_size), fetch_(std::move(fetch)) {
  // The jobs outlive the budget's callbacks; they ignore callbacks after Close().
  consumer_ = budget_.Join([this, queue = jobs_.shared_from_this()] { queue->Post([this] { OnAdmitted(); }); });
}

void ReadAhead::Close() {
  std::map<std::uint64_t, std::shared_ptr<Chunk>> dropped;
  std::set<std::shared_ptr<Chunk>> fetching;
  {
    const MutexLock lock(mutex_);
    is_closed_ = true;
    wanted_.clear();
    dropped.swap(chunks_);
    fetching.swap(fetching_);
  }
  for (const auto& chunk : fetching) chunk->stop.request_stop();
}

ReadAhead::~ReadAhead() { budget_.Leave(consumer_); }

void ReadAhead::EndFetches() {
  std::set<std::shared_ptr<Chunk>> fetching;
  {
    const MutexLock lock(mutex_);
    has_ended_ = true;
    wanted_.clear();
    fetching = fetching_;
  }
  for (const auto& chunk : fetching) chunk->stop.request_stop();
}

std::size_t ReadAhead::Want(const std::vector<Range>& ranges, bool is_of_stream) {
  std::size_t fit = 0;
  {
    const MutexLock lock(mutex_);
    std::uint64_t held = HeldBytes();
    for (; fit < ranges.size() && !has_ended_; ++fit) {
      const Range& range = ranges[fit];
      if (range.length == 0 || OverlapsChunk(range) || OverlapsWanted(range)) continue;
      // One chunk always fits: otherwise a small limit would prevent all reading ahead.
      if (held > 0 && range.length > limit_ - std::min(limit_, held)) break;
      held += range.length;
      wanted_.push_back({range, is_of_stream});
    }
  }
  Pump();
  return fit;
}

void ReadAhead::Keep(const Range& range) {
  const MutexLock lock(mutex_);
  if (is_closed_ || OverlapsChunk(range)) return;
  Begin({range, false}, /*is_kept=*/true);
}

void ReadAhead::DropBefore(std::uint64_t offset) {
  DropOfStream([&](const Range& range) { return range.end() <= offset; });
}

void ReadAhead::KeepOfStream(const Range& range) {
  DropOfStream([&](const Range& other) { return other.end() <= range.offset || other.offset >= range.end(); });
}

void ReadAhead::DropOfStream(const std::function<bool(const Range&)>& is_dropped) {
  // If at most this many bytes are missing, the fetch continues: the chunk's checksum is worth more than they cost.
  constexpr std::uint64_t kSoon = 1U << 20;
  Dropped dropped;
  Dropped ended;
  {
    const MutexLock lock(mutex_);
    std::erase_if(wanted_, [&](const Wanted& w) { return w.is_of_stream && is_dropped(w.range); });
    std::erase_if(chunks_, [&](const auto& entry) {
      const Chunk& chunk = *entry.second;
      if (!chunk.is_of_stream || !is_dropped(chunk.range)) return false;
      (chunk.range.length - chunk.arrived > kSoon ? ended : dropped).push_back(entry.second);
      return true;
    });
  }
  for (const auto& chunk : ended) chunk->stop.request_stop();
}

std::vector<HeldPart> ReadAhead::Find(std::uint64_t offset, std::span<std::byte> destination,
                                      std::vector<std::pair<std::uint64_t, std::span<std::byte>>>& rest) {
  std::vector<HeldPart> held;
  Dropped failed;
  const MutexLock lock(mutex_);
  const std::uint64_t begin = offset;
  const std::uint64_t end = offset + destination.size();
  std::erase_if(chunks_, [&](const auto& entry) {
    const Chunk& chunk = *entry.second;
    const bool has_failed = chunk.error && chunk.range.offset < end && chunk.range.end() > begin;
    if (has_failed) failed.push_back(entry.second);
    return has_failed;
  });
  auto next = chunks_.upper_bound(offset);
  if (next != chunks_.begin() && std::prev(next)->second->range.end() > offset) --next;
  while (!destination.empty()) {
    const bool is_held = next != chunks_.end() && next->first <= offset;
    const std::uint64_t part_end = next == chunks_.end() ? end
                                   : is_held             ? std::min(end, next->second->range.end())
                                                         : std::min(end, next->first);
    const auto length = static_cast<std::size_t>(part_end - offset);
    if (is_held) {
      held.push_back({next->second, offset, destination.first(length)});
      ++next;
    } else {
      rest.emplace_back(offset, destination.first(length));
    }
    destination = destination.subspan(length);
    offset = part_end;
  }
  // Bytes that are read now need not be fetched ahead.
  std::erase_if(wanted_, [&](const Wanted& w) { return w.range.offset >= begin && w.range.end() <= end; });
  return held;
}

Result<bool> ReadAhead::AwaitBytes(MutexLock<Mutex>& lock, Chunk& chunk, std::uint64_t needed,
                                   const std::stop_token& stop, bool& waited) {
  waited = waited || chunk.arrived < needed;
  arrivals_.Wait(lock, [&]() REQUIRES(mutex_) {
    if (chunk.arrived >= needed || chunk.error || stop.stop_requested()) return true;
    chunk.awaited = std::min(chunk.awaited, needed);
    return false;
  });
  if (chunk.arrived >= needed) return true;
  if (!chunk.error || chunk.error->code == ErrorCode::kCancelled) return false;
  return *chunk.error;
}

Result<PinnedPart> ReadAhead::Pin(std::uint64_t offset, const std::stop_token& stop, bool& waited) {
  constexpr std::uint64_t kMost = 1U << 20;  // More would only make the caller wait.
  std::shared_ptr<Chunk> chunk;              // Outlives the lock.
  MutexLock lock(mutex_);
  const auto next = chunks_.upper_bound(offset);
  if (next == chunks_.begin() || std::prev(next)->second->range.end() <= offset) return PinnedPart{};
  chunk = std::prev(next)->second;
  const std::uint64_t from = offset - chunk->range.offset;
  const auto arrived = AwaitBytes(lock, *chunk, std::min(from + kMost, chunk->range.length), stop, waited);
  if (arrived && !*arrived) return PinnedPart{};
  if (!arrived && chunk->arrived <= from) {
    const auto failed = chunks_.find(chunk->range.offset);
    if (failed != chunks_.end() && failed->second == chunk) chunks_.erase(failed);
    return arrived.error();
  }
  const std::span<const std::byte> bytes(chunk->memory.get() + from, chunk->memory.get() + chunk->arrived);
  Consume(*chunk, bytes.size());  // The caller holds the chunk.
  return PinnedPart{chunk, bytes};
}

Result<bool> ReadAhead::Take(const HeldPart& part, const std::stop_token& stop, bool& waited) {
  Chunk& chunk = *part.chunk;
  const std::uint64_t needed = part.offset + part.destination.size() - chunk.range.offset;
  {
    MutexLock lock(mutex_);
    const auto arrived = AwaitBytes(lock, chunk, needed, stop, waited);
    if (!arrived || !*arrived) return arrived;
  }
  std::memcpy(part.destination.data(), chunk.memory.get() + (part.offset - chunk.range.offset),
              part.destination.size());
  std::shared_ptr<Chunk> dropped;
  {
    const MutexLock lock(mutex_);
    dropped = Consume(chunk, part.destination.size());
  }
  return true;
}

std::shared_ptr<Chunk> ReadAhead::Consume(Chunk& chunk, std::uint64_t bytes) {
  chunk.consumed += bytes;
  const auto entry = chunks_.find(chunk.range.offset);
  const bool is_over = chunk.consumed >= chunk.range.length && !chunk.is_kept && !chunk.is_of_stream;
  if (!is_over || entry == chunks_.end() || entry->second.get() != &chunk) return nullptr;
  auto dropped = std::move(entry->second);
  chunks_.erase(entry);
  return dropped;
}

std::vector<ReadAhead::Arrived> ReadAhead::TakeArrived() {
  std::map<std::uint64_t, std::shared_ptr<Chunk>> all;
  std::vector<Arrived> arrived;
  const MutexLock lock(mutex_);
  all.swap(chunks_);
  for (const auto& [offset, chunk] : all) arrived.push_back({chunk, {chunk->memory.get(), chunk->arrived}});
  return arrived;
}

void ReadAhead::Wake() {
  { const MutexLock lock(mutex_); }
  arrivals_.NotifyAll();
}

Range ReadAhead::FirstGap(const Range& range) const {
  const MutexLock lock(mutex_);
  std::uint64_t offset = range.offset;
  auto next = chunks_.upper_bound(offset);
  if (next != chunks_.begin()) offset = std::max(offset, std::prev(next)->second->range.end());
  while (next != chunks_.end() && next->first == offset) offset = (next++)->second->range.end();
  offset = std::min(offset, range.end());
  const std::uint64_t end = next == chunks_.end() ? range.end() : std::min(range.end(), next->first);
  return {offset, end - offset};
}

// Asks the budget for one chunk after the other, without a lock.
void ReadAhead::Pump() {
  while (true) {
    std::uint64_t bytes = 0;
    {
      const MutexLock lock(mutex_);
      if (is_closed_ || has_ended_ || asked_ || wanted_.empty()) return;
      asked_ = wanted_.front();
      wanted_.pop_front();
      bytes = asked_->range.length;
    }
    if (!budget_.Ask(consumer_, bytes)) return;  // OnAdmitted() is called.
    const MutexLock lock(mutex_);
    Begin(*std::exchange(asked_, std::nullopt), /*is_kept=*/false);
  }
}

void ReadAhead::OnAdmitted() {
  std::optional<Wanted> admitted;
  {
    const MutexLock lock(mutex_);
    admitted = std::exchange(asked_, std::nullopt);
    if (admitted && !is_closed_ && !has_ended_) Begin(*admitted, /*is_kept=*/false);
  }
  Pump();
}

void ReadAhead::Begin(const Wanted& wanted, bool is_kept) {
  auto chunk = std::make_shared<Chunk>();
  chunk->range = wanted.range;
  chunk->is_of_stream = wanted.is_of_stream;
  chunk->is_kept = is_kept;
  // If there is no memory, or the bytes have come meanwhile, its job ends at once.
  if (!OverlapsChunk(wanted.range)) chunk->memory = TakeMemory(wanted.range.length, is_kept);
  if (!is_kept) {
    const std::uint64_t taken = chunk->memory ? chunk->memory.get_deleter().bytes : wanted.range.length;
    alive_bytes_ += taken;
    chunk->on_end = [this, wanted, taken](auto memory) { GiveBack(wanted, taken, std::move(memory)); };
  }
  if (chunk->memory) chunks_.insert_or_assign(wanted.range.offset, chunk);
  jobs_.Post([this, chunk = std::move(chunk)] { Run(chunk); });
}

std::uint64_t ReadAhead::SpareBytes() const {
  std::uint64_t bytes = 0;
  for (const ChunkMemory& memory : spare_) bytes += memory.get_deleter().bytes;
  return bytes;
}

// Returns null if there is no memory. It may be longer than needed.
ChunkMemory ReadAhead::TakeMemory(std::uint64_t bytes, bool is_kept) {
  const auto fits = [&](const ChunkMemory& memory) { return memory.get_deleter().bytes >= bytes; };
  // The last one is the likeliest to be in the CPU's caches.
  const auto found = is_kept ? spare_.rend() : std::find_if(spare_.rbegin(), spare_.rend(), fits);
  if (found != spare_.rend()) {
    ChunkMemory memory = std::move(*found);
    spare_.erase(std::next(found).base());
    return memory;
  }
  // Shorter memory makes room for this.
  while (!spare_.empty() && alive_bytes_ + SpareBytes() + bytes > limit_) spare_.pop_back();
  return MakeChunkMemory(static_cast<std::size_t>(bytes), object_size_);
}

void ReadAhead::GiveBack(const Wanted& wanted, std::uint64_t taken, ChunkMemory memory) {
  {
    MutexLock lock(mutex_);
    const bool fits = alive_bytes_ + SpareBytes() <= limit_;
    if (memory && wanted.is_of_stream && fits && !is_closed_) {
      spare_.push_back(std::move(memory));
    } else {
      // It counts until the system has it. Otherwise another chunk could be filled first, on a busy machine.
      lock.unlock();
      memory.reset();
      lock.lock();
    }
    alive_bytes_ -= taken;
  }
  budget_.Deliver(consumer_, wanted.range.length);
}

void ReadAhead::DropSpareMemory() {
  decltype(spare_) dropped;  // Released outside of the lock.
  {
    const MutexLock lock(mutex_);
    dropped.swap(spare_);
  }
}

void ReadAhead::Run(const std::shared_ptr<Chunk>& chunk) {
  if (!chunk->memory) return;
  const auto arrive = [&](std::uint64_t end) {
    {
      const MutexLock lock(mutex_);
      chunk->arrived = end;
      if (end < chunk->awaited) return;
      chunk->awaited = Chunk::kNone;
    }
    arrivals_.NotifyAll();
  };
  const bool is_whole = chunk->range.length == object_size_;
  const auto deliver = [&](std::uint64_t offset, std::span<const std::byte> bytes) {
    const std::uint64_t from = offset - chunk->range.offset;
    std::memcpy(chunk->memory.get() + from, bytes.data(), bytes.size());
    const std::uint64_t end = from + bytes.size();
    if (!is_whole && end < chunk->range.length) arrive(end);  // The last ones when the answer was checked.
  };
  {
    const MutexLock lock(mutex_);
    if (is_closed_) return;
    // The reader ends with the failure of a chunk before this one, and needs no more.
    const bool is_needless = std::ranges::any_of(
        chunks_, [&](const auto& entry) { return entry.second->error && entry.first < chunk->range.offset; });
    if (has_ended_ || is_needless) chunk->stop.request_stop();
    fetching_.insert(chunk);
  }
  const auto fetched = fetch_(chunk->range, deliver, chunk->stop.get_token());
  {
    const MutexLock lock(mutex_);
    fetching_.erase(chunk);
  }
  if (fetched) return arrive(chunk->range.length);
  {
    const MutexLock lock(mutex_);
    chunk->error = fetched.error();
    // Pin() is yet to return its bytes and its error.
    const bool is_kept = chunk->is_of_stream && (has_ended_ || chunk->error->code != ErrorCode::kCancelled);
    const auto entry = chunks_.find(chunk->range.offset);
    if (!is_kept && entry != chunks_.end() && entry->second == chunk) chunks_.erase(entry);  // The job holds it.
  }
  arrivals_.NotifyAll();
}

// Chunks must not overlap.
bool ReadAhead::OverlapsChunk(const Range& range) const {
  const auto next = chunks_.lower_bound(range.end());
  return next != chunks_.begin() && std::prev(next)->second->range.end() > range.offset;
}

bool ReadAhead::OverlapsWanted(const Range& range) const {
  const auto overlaps = [&](const Wanted& wanted) {
    return wanted.range.offset < range.end() && range.offset < wanted.range.end();
  };
  return (asked_ && overlaps(*asked_)) || std::ranges::any_of(wanted_, overlaps);
}

std::uint64_t ReadAhead::HeldBytes() const {
  std::uint64_t bytes = alive_bytes_ + (asked_ ? asked_->range.length : 0);
  for (const Wanted& wanted : wanted_) bytes += wanted.range.length;
  return bytes;
}

}  // namespace gcsflux::internal
