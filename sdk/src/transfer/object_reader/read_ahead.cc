#include "transfer/object_reader/read_ahead.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/process/mutex.h"

namespace gcsflux::internal {

// Pieces are never destroyed under the lock: their destruction makes room for others, whose callbacks may call this
// object.
using Dropped = std::vector<std::shared_ptr<Piece>>;

ReadAhead::ReadAhead(DeliveryBudget& budget, JobQueue& jobs, std::uint64_t limit, std::uint64_t object_size,
                     Fetch fetch)
    : budget_(budget), jobs_(jobs), limit_(limit), object_size_(object_size), fetch_(std::move(fetch)) {
  // The jobs outlive the budget's callbacks; they ignore callbacks after Close().
  consumer_ = budget_.Join([this, queue = jobs_.shared_from_this()] { queue->Post([this] { OnAdmitted(); }); });
}

void ReadAhead::Close() {
  std::map<std::uint64_t, std::shared_ptr<Piece>> dropped;
  std::set<std::shared_ptr<Piece>> fetching;
  {
    const MutexLock lock(mutex_);
    is_closed_ = true;
    wanted_.clear();
    dropped.swap(pieces_);
    fetching.swap(fetching_);
  }
  for (const auto& piece : fetching) piece->stop.request_stop();
}

ReadAhead::~ReadAhead() { budget_.Leave(consumer_); }

void ReadAhead::EndFetches() {
  std::set<std::shared_ptr<Piece>> fetching;
  {
    const MutexLock lock(mutex_);
    has_ended_ = true;
    wanted_.clear();
    fetching = fetching_;
  }
  for (const auto& piece : fetching) piece->stop.request_stop();
}

std::size_t ReadAhead::Want(const std::vector<Extent>& extents, bool is_of_stream) {
  std::size_t fit = 0;
  {
    const MutexLock lock(mutex_);
    std::uint64_t held = HeldBytes();
    for (; fit < extents.size() && !has_ended_; ++fit) {
      const Extent& extent = extents[fit];
      if (extent.length == 0 || OverlapsPiece(extent) || OverlapsWanted(extent)) continue;
      // One piece always fits: otherwise a small limit would prevent all reading ahead.
      if (held > 0 && extent.length > limit_ - std::min(limit_, held)) break;
      held += extent.length;
      wanted_.push_back({extent, is_of_stream});
    }
  }
  Pump();
  return fit;
}

void ReadAhead::Keep(const Extent& extent) {
  const MutexLock lock(mutex_);
  if (is_closed_ || OverlapsPiece(extent)) return;
  Begin({extent, false}, /*is_kept=*/true);
}

void ReadAhead::DropBefore(std::uint64_t offset) {
  DropOfStream([&](const Extent& extent) { return extent.end() <= offset; });
}

void ReadAhead::KeepOfStream(const Extent& extent) {
  DropOfStream([&](const Extent& other) { return other.end() <= extent.offset || other.offset >= extent.end(); });
}

void ReadAhead::DropOfStream(const std::function<bool(const Extent&)>& is_dropped) {
  // If at most this many bytes are missing, the fetch continues: the piece's checksum is worth more than they cost.
  constexpr std::uint64_t kSoon = 1U << 20;
  Dropped dropped;
  Dropped ended;
  {
    const MutexLock lock(mutex_);
    std::erase_if(wanted_, [&](const Wanted& w) { return w.is_of_stream && is_dropped(w.extent); });
    std::erase_if(pieces_, [&](const auto& entry) {
      const Piece& piece = *entry.second;
      if (!piece.is_of_stream || !is_dropped(piece.extent)) return false;
      (piece.extent.length - piece.arrived > kSoon ? ended : dropped).push_back(entry.second);
      return true;
    });
  }
  for (const auto& piece : ended) piece->stop.request_stop();
}

std::vector<HeldPart> ReadAhead::Find(std::uint64_t offset, std::span<std::byte> destination,
                                      std::vector<std::pair<std::uint64_t, std::span<std::byte>>>& rest) {
  std::vector<HeldPart> held;
  Dropped failed;
  const MutexLock lock(mutex_);
  const std::uint64_t begin = offset;
  const std::uint64_t end = offset + destination.size();
  std::erase_if(pieces_, [&](const auto& entry) {
    const Piece& piece = *entry.second;
    const bool has_failed = piece.error && piece.extent.offset < end && piece.extent.end() > begin;
    if (has_failed) failed.push_back(entry.second);
    return has_failed;
  });
  auto next = pieces_.upper_bound(offset);
  if (next != pieces_.begin() && std::prev(next)->second->extent.end() > offset) --next;
  while (!destination.empty()) {
    const bool is_held = next != pieces_.end() && next->first <= offset;
    const std::uint64_t part_end = next == pieces_.end() ? end
                                   : is_held             ? std::min(end, next->second->extent.end())
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
  std::erase_if(wanted_, [&](const Wanted& w) { return w.extent.offset >= begin && w.extent.end() <= end; });
  return held;
}

Result<bool> ReadAhead::AwaitBytes(MutexLock<Mutex>& lock, Piece& piece, std::uint64_t needed,
                                   const std::stop_token& stop, bool& waited) {
  waited = waited || piece.arrived < needed;
  arrivals_.Wait(lock, [&]() REQUIRES(mutex_) {
    if (piece.arrived >= needed || piece.error || stop.stop_requested()) return true;
    piece.awaited = std::min(piece.awaited, needed);
    return false;
  });
  if (piece.arrived >= needed) return true;
  if (!piece.error || piece.error->code == ErrorCode::kCancelled) return false;
  return *piece.error;
}

Result<PinnedPart> ReadAhead::Pin(std::uint64_t offset, const std::stop_token& stop, bool& waited) {
  constexpr std::uint64_t kMost = 1U << 20;  // More would only make the caller wait.
  std::shared_ptr<Piece> piece;              // Outlives the lock.
  MutexLock lock(mutex_);
  const auto next = pieces_.upper_bound(offset);
  if (next == pieces_.begin() || std::prev(next)->second->extent.end() <= offset) return PinnedPart{};
  piece = std::prev(next)->second;
  const std::uint64_t from = offset - piece->extent.offset;
  const auto arrived = AwaitBytes(lock, *piece, std::min(from + kMost, piece->extent.length), stop, waited);
  if (arrived && !*arrived) return PinnedPart{};
  if (!arrived && piece->arrived <= from) {
    const auto failed = pieces_.find(piece->extent.offset);
    if (failed != pieces_.end() && failed->second == piece) pieces_.erase(failed);
    return arrived.error();
  }
  const std::span<const std::byte> bytes(piece->memory.get() + from, piece->memory.get() + piece->arrived);
  Consume(*piece, bytes.size());  // The caller holds the piece.
  return PinnedPart{piece, bytes};
}

Result<bool> ReadAhead::Take(const HeldPart& part, const std::stop_token& stop, bool& waited) {
  Piece& piece = *part.piece;
  const std::uint64_t needed = part.offset + part.destination.size() - piece.extent.offset;
  {
    MutexLock lock(mutex_);
    const auto arrived = AwaitBytes(lock, piece, needed, stop, waited);
    if (!arrived || !*arrived) return arrived;
  }
  std::memcpy(part.destination.data(), piece.memory.get() + (part.offset - piece.extent.offset),
              part.destination.size());
  std::shared_ptr<Piece> dropped;
  {
    const MutexLock lock(mutex_);
    dropped = Consume(piece, part.destination.size());
  }
  return true;
}

std::shared_ptr<Piece> ReadAhead::Consume(Piece& piece, std::uint64_t bytes) {
  piece.consumed += bytes;
  const auto entry = pieces_.find(piece.extent.offset);
  const bool is_over = piece.consumed >= piece.extent.length && !piece.is_kept && !piece.is_of_stream;
  if (!is_over || entry == pieces_.end() || entry->second.get() != &piece) return nullptr;
  auto dropped = std::move(entry->second);
  pieces_.erase(entry);
  return dropped;
}

std::vector<ReadAhead::Arrived> ReadAhead::TakeArrived() {
  std::map<std::uint64_t, std::shared_ptr<Piece>> all;
  std::vector<Arrived> arrived;
  const MutexLock lock(mutex_);
  all.swap(pieces_);
  for (const auto& [offset, piece] : all) arrived.push_back({piece, {piece->memory.get(), piece->arrived}});
  return arrived;
}

void ReadAhead::Wake() {
  { const MutexLock lock(mutex_); }
  arrivals_.NotifyAll();
}

Extent ReadAhead::FirstGap(const Extent& extent) const {
  const MutexLock lock(mutex_);
  std::uint64_t offset = extent.offset;
  auto next = pieces_.upper_bound(offset);
  if (next != pieces_.begin()) offset = std::max(offset, std::prev(next)->second->extent.end());
  while (next != pieces_.end() && next->first == offset) offset = (next++)->second->extent.end();
  offset = std::min(offset, extent.end());
  const std::uint64_t end = next == pieces_.end() ? extent.end() : std::min(extent.end(), next->first);
  return {offset, end - offset};
}

// Asks the budget for one piece after the other, without a lock.
void ReadAhead::Pump() {
  while (true) {
    std::uint64_t bytes = 0;
    {
      const MutexLock lock(mutex_);
      if (is_closed_ || has_ended_ || asked_ || wanted_.empty()) return;
      asked_ = wanted_.front();
      wanted_.pop_front();
      bytes = asked_->extent.length;
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
  auto piece = std::make_shared<Piece>();
  piece->extent = wanted.extent;
  piece->is_of_stream = wanted.is_of_stream;
  piece->is_kept = is_kept;
  // If there is no memory, or the bytes have come meanwhile, its job ends at once.
  if (!OverlapsPiece(wanted.extent)) piece->memory = TakeMemory(wanted.extent.length, is_kept);
  if (!is_kept) {
    const std::uint64_t taken = piece->memory ? piece->memory.get_deleter().bytes : wanted.extent.length;
    alive_bytes_ += taken;
    piece->on_end = [this, wanted, taken](auto memory) { GiveBack(wanted, taken, std::move(memory)); };
  }
  if (piece->memory) pieces_.insert_or_assign(wanted.extent.offset, piece);
  jobs_.Post([this, piece = std::move(piece)] { Run(piece); });
}

std::uint64_t ReadAhead::SpareBytes() const {
  std::uint64_t bytes = 0;
  for (const PieceMemory& memory : spare_) bytes += memory.get_deleter().bytes;
  return bytes;
}

// Returns null if there is no memory. It may be longer than needed.
PieceMemory ReadAhead::TakeMemory(std::uint64_t bytes, bool is_kept) {
  const auto fits = [&](const PieceMemory& memory) { return memory.get_deleter().bytes >= bytes; };
  // The last one is the likeliest to be in the CPU's caches.
  const auto found = is_kept ? spare_.rend() : std::find_if(spare_.rbegin(), spare_.rend(), fits);
  if (found != spare_.rend()) {
    PieceMemory memory = std::move(*found);
    spare_.erase(std::next(found).base());
    return memory;
  }
  // Shorter memory makes room for this.
  while (!spare_.empty() && alive_bytes_ + SpareBytes() + bytes > limit_) spare_.pop_back();
  return MakePieceMemory(static_cast<std::size_t>(bytes), object_size_);
}

void ReadAhead::GiveBack(const Wanted& wanted, std::uint64_t taken, PieceMemory memory) {
  {
    MutexLock lock(mutex_);
    const bool fits = alive_bytes_ + SpareBytes() <= limit_;
    if (memory && wanted.is_of_stream && fits && !is_closed_) {
      spare_.push_back(std::move(memory));
    } else {
      // It counts until the system has it. Otherwise another piece could be filled first, on a busy machine.
      lock.unlock();
      memory.reset();
      lock.lock();
    }
    alive_bytes_ -= taken;
  }
  budget_.Deliver(consumer_, wanted.extent.length);
}

void ReadAhead::DropSpareMemory() {
  decltype(spare_) dropped;  // Released outside of the lock.
  {
    const MutexLock lock(mutex_);
    dropped.swap(spare_);
  }
}

void ReadAhead::Run(const std::shared_ptr<Piece>& piece) {
  if (!piece->memory) return;
  const auto arrive = [&](std::uint64_t end) {
    {
      const MutexLock lock(mutex_);
      piece->arrived = end;
      if (end < piece->awaited) return;
      piece->awaited = Piece::kNone;
    }
    arrivals_.NotifyAll();
  };
  const bool is_whole = piece->extent.length == object_size_;
  const auto deliver = [&](std::uint64_t offset, std::span<const std::byte> bytes) {
    const std::uint64_t from = offset - piece->extent.offset;
    std::memcpy(piece->memory.get() + from, bytes.data(), bytes.size());
    const std::uint64_t end = from + bytes.size();
    if (!is_whole && end < piece->extent.length) arrive(end);  // The last ones when the answer was checked.
  };
  {
    const MutexLock lock(mutex_);
    if (is_closed_) return;
    // The reader ends with the failure of a piece before this one, and needs no more.
    const bool is_needless = std::ranges::any_of(
        pieces_, [&](const auto& entry) { return entry.second->error && entry.first < piece->extent.offset; });
    if (has_ended_ || is_needless) piece->stop.request_stop();
    fetching_.insert(piece);
  }
  const auto fetched = fetch_(piece->extent, deliver, piece->stop.get_token());
  {
    const MutexLock lock(mutex_);
    fetching_.erase(piece);
  }
  if (fetched) return arrive(piece->extent.length);
  {
    const MutexLock lock(mutex_);
    piece->error = fetched.error();
    // Pin() is yet to return its bytes and its error.
    const bool is_kept = piece->is_of_stream && (has_ended_ || piece->error->code != ErrorCode::kCancelled);
    const auto entry = pieces_.find(piece->extent.offset);
    if (!is_kept && entry != pieces_.end() && entry->second == piece) pieces_.erase(entry);  // The job holds it.
  }
  arrivals_.NotifyAll();
}

// Pieces must not overlap.
bool ReadAhead::OverlapsPiece(const Extent& extent) const {
  const auto next = pieces_.lower_bound(extent.end());
  return next != pieces_.begin() && std::prev(next)->second->extent.end() > extent.offset;
}

bool ReadAhead::OverlapsWanted(const Extent& extent) const {
  const auto overlaps = [&](const Wanted& wanted) {
    return wanted.extent.offset < extent.end() && extent.offset < wanted.extent.end();
  };
  return (asked_ && overlaps(*asked_)) || std::ranges::any_of(wanted_, overlaps);
}

std::uint64_t ReadAhead::HeldBytes() const {
  std::uint64_t bytes = alive_bytes_ + (asked_ ? asked_->extent.length : 0);
  for (const Wanted& wanted : wanted_) bytes += wanted.extent.length;
  return bytes;
}

}  // namespace gcsflux::internal
