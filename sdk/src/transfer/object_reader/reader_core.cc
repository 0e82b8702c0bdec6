#include "transfer/object_reader/reader_core.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/checksum.h"
#include "base/exceptions_as_errors.h"
#include "client/client_core.h"
#include "transfer/read/claimed_checksums.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kLeastRange = 1U << 20;

// What one request fetches while it is not known how long a first byte takes.
std::uint64_t FirstRange(const ObjectReaderOptions& options) {
  return std::min({std::uint64_t{8} << 20, options.range_bytes, options.read_ahead_bytes});
}

// One request for each connection, and a few that wait for the caller, fit into `read_ahead_bytes`.
std::uint64_t LongestRange(const ObjectReaderOptions& options) {
  const std::uint64_t share = options.read_ahead_bytes / 4 * 3 / static_cast<std::uint64_t>(options.max_concurrency);
  return std::min(options.range_bytes, std::max(share, kLeastRange));
}

bool Overlap(std::vector<RangeRead> ranges) {
  const auto address = [](const RangeRead& read) { return reinterpret_cast<std::uintptr_t>(read.into.data()); };
  std::ranges::sort(ranges, {}, address);
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (address(ranges[i - 1]) + ranges[i - 1].into.size() > address(ranges[i])) return true;
  }
  return false;
}

}  // namespace

ReaderCore::ReaderCore(Client client, DownloadSource source, ObjectReaderOptions options,
                       std::optional<std::chrono::nanoseconds> answered_in, AfterStop after_stop)
    : client_(std::move(client)),
      source_(std::move(source)),
      options_(std::move(options)),
      longest_range_(LongestRange(options_)),
      object_(client_, source_, options_.encryption_key, options_.call),
      pace_(answered_in),
      window_(FirstRange(options_)),
      stream_end_(source_.size),
      slots_(
          std::make_unique<RequestSlots>(CoreOf(client_).loops(), static_cast<std::size_t>(options_.max_concurrency))),
      jobs_(std::make_shared<JobQueue>(*slots_)),
      ahead_(std::make_unique<ReadAhead>(
          CoreOf(client_).delivery_budget(), *jobs_, options_.read_ahead_bytes, source_.size,
          [this](const Range& range, const ReadAhead::Deliver& deliver, const std::stop_token& stop) {
            const auto delivery = range.length == source_.size ? Delivery::kAtEnd : Delivery::kEarly;
            return Fetch(range, delivery, deliver, stop);
          })),
      on_stop_(options_.stop, [this, after_stop] {
        after_stop == AfterStop::kKeepsArrived ? ahead_->EndFetches() : ahead_->Close();
      }) {}

ReaderCore::~ReaderCore() {
  lent_.reset();
  ahead_->Close();
  jobs_->Close();
  slots_.reset();  // Waits for the requests in progress.
}

Result<void> ReaderCore::CheckUsable() const {
  if (!owner_.IsCurrent()) return owner_.Refuse("the reader");
  if (options_.stop.stop_requested()) return Error{ErrorCode::kCancelled, "read of " + ToUri(source_.object)};
  if (!slots_->is_usable()) return slots_->shortage().value_or(Error{ErrorCode::kLocalIo, "no event loop runs"});
  return {};
}

std::uint64_t ReaderCore::gap() const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // The sums must not overflow.
  constexpr std::uint64_t kUnknown = 256U << 10;
  if (options_.max_gap_bytes) return std::min(*options_.max_gap_bytes, kMost);
  return std::clamp<std::uint64_t>(pace_.BytesPerFirstByte().value_or(kUnknown), 16U << 10, 2U << 20);
}

std::uint64_t ReaderCore::range() const {
  const auto bytes = pace_.BytesPerQuickFirstByte();
  if (!bytes) return FirstRange(options_);
  // A power of two: the memory of chunks is used again.
  return std::clamp(std::bit_ceil(4 * *bytes), std::min(kLeastRange, longest_range_), longest_range_);
}

std::uint64_t ReaderCore::EvenRange(std::uint64_t total, std::uint64_t most) const {
  const std::uint64_t least =
      std::max(kLeastRange, pace_.BytesPerQuickFirstByte().value_or(RequestPace::kMostAssumedBytes));
  return EvenChunk(total, static_cast<std::uint64_t>(options_.max_concurrency), std::min(least, most), most);
}

std::uint64_t ReaderCore::RangeAhead() const {
  if (!options_.reads_whole) return range();
  return EvenRange(source_.size, pace_.BytesPerQuickFirstByte() ? range() : longest_range_);
}

std::uint64_t ReaderCore::window() const {
  const std::uint64_t most = options_.read_ahead_bytes;
  const auto ranges = 2 * static_cast<std::uint64_t>(options_.max_concurrency);
  const std::uint64_t each = RangeAhead();
  const std::uint64_t of_connections = each > most / ranges ? most : ranges * each;
  return std::min(options_.reads_whole ? most : window_.load(), of_connections);
}

Result<std::size_t> ReaderCore::ReadAt(std::uint64_t offset, std::span<std::byte> destination) {
  if (auto usable = CheckUsable(); !usable) return usable.error();
  if (offset >= source_.size || destination.empty()) return std::size_t{0};
  const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(destination.size(), source_.size - offset));
  bool waited = false;
  if (auto read = ReadRanges({{offset, destination.first(length)}}, waited, {}); !read) return read.error();
  return length;
}

Result<std::vector<std::uint32_t>> ReaderCore::Read(std::span<const RangeRead> ranges, std::optional<Checksum> sum) {
  if (auto usable = CheckUsable(); !usable) return usable.error();
  std::vector<RangeRead> wanted;
  for (const RangeRead& range : ranges) {
    const bool is_inside = range.offset <= source_.size && range.into.size() <= source_.size - range.offset;
    if (!is_inside) {
      return Error{ErrorCode::kOutOfRange,
                   "read of " + ToUri(source_.object) + ": " + std::to_string(range.into.size()) + " bytes at " +
                       std::to_string(range.offset) + " end behind the object's " + std::to_string(source_.size)};
    }
    if (!range.into.empty()) wanted.push_back(range);
  }
  if (Overlap(wanted)) {
    return Error{ErrorCode::kInvalidArgument, "read of " + ToUri(source_.object) + ": destinations overlap"};
  }
  bool waited = false;
  std::vector<SummedBytes> sums;
  if (auto read = ReadRanges(wanted, waited, {.sum = sum, .sums = &sums}); !read) return read.error();
  return sum ? JoinSums(ranges, std::move(sums), *sum) : std::vector<std::uint32_t>();
}

// Fetches what is not held, and meanwhile copies what is held. Then fetches held parts whose fetch was cancelled
// meanwhile. If a chunk fails while this read waits for it, the read fails, because the request was repeated already.
Result<void> ReaderCore::ReadRanges(const std::vector<RangeRead>& ranges, bool& waited, const ReadExtras& extras) {
  std::vector<HeldPart> held;
  std::vector<std::pair<std::uint64_t, std::span<std::byte>>> rest;
  const std::uint64_t tail = source_.size - std::min(source_.size, options_.tail_bytes);
  for (const RangeRead& range : ranges) {
    const bool is_tail = range.offset + range.into.size() > tail && range.into.size() <= options_.tail_bytes;
    if (is_tail) ahead_->Keep({tail, source_.size - tail});
    for (HeldPart& part : ahead_->Find(range.offset, range.into, rest)) held.push_back(std::move(part));
  }
  const auto requests_of = [&] {
    std::vector<RangeRead> missing;
    missing.reserve(rest.size());
    for (const auto& [offset, destination] : rest) missing.push_back({offset, destination});
    rest.clear();
    std::uint64_t total = 0;
    for (const RangeRead& read : missing) total += read.into.size();
    return JoinRanges(std::move(missing), gap(), EvenRange(total, options_.range_bytes));
  };
  waited = waited || !rest.empty();
  const auto await = [&](Group& of) {
    auto done = Await(of);
    if (done && extras.sum) extras.sums->insert(extras.sums->end(), of.sums.begin(), of.sums.end());
    return done;
  };
  const auto group = Start(requests_of(), extras.sum);
  const Awaited awaited{*this, *group};
  const std::stop_callback on_stop(options_.stop, [&] {
    group->stop.request_stop();
    ahead_->Wake();
  });
  std::optional<Error> failure;
  for (HeldPart& part : held) {
    const auto taken = ahead_->Take(part, group->stop.get_token(), waited);
    if (!taken && !failure) failure = taken.error();
    if (!taken) group->stop.request_stop();
    if (taken && !*taken) rest.emplace_back(part.offset, part.destination);
    if (taken && *taken && extras.sum) {
      extras.sums->push_back({part.destination, ExtendChecksum(*extras.sum, 0, part.destination)});
    }
    part.chunk.reset();
    if (extras.on_taken) extras.on_taken(part.offset + part.destination.size());
  }
  auto done = await(*group);
  if (failure) return *std::move(failure);
  if (!done || rest.empty()) return done;
  const auto again = Start(requests_of(), extras.sum);
  const Awaited again_awaited{*this, *again};
  const std::stop_callback on_stop_again(options_.stop, [&] { again->stop.request_stop(); });
  return await(*again);
}

// If there is no memory for all requests, the group fails: those that were started end soon.
std::shared_ptr<ReaderCore::Group> ReaderCore::Start(std::vector<JoinedRange> requests, std::optional<Checksum> sum) {
  auto group = std::make_shared<Group>();
  for (JoinedRange& request : requests) {
    {
      const MutexLock lock(mutex_);
      ++group->pending;
    }
    const auto posted = ExceptionsAsErrors([&]() -> Result<void> {
      jobs_->Post([this, group, sum, request = std::move(request)] { RunRequest(*group, request, sum); });
      return {};
    });
    if (posted) continue;
    RequestEnded(*group, posted.error());
    break;
  }
  return group;
}

void ReaderCore::RunRequest(Group& group, const JoinedRange& request, std::optional<Checksum> sum) {
  const auto fetched = ExceptionsAsErrors([&]() -> Result<void> {
    Scatter scatter(request, sum);
    const auto put = [&](std::uint64_t offset, std::span<const std::byte> bytes) { scatter.Put(offset, bytes); };
    if (auto read = Fetch(request.range, Delivery::kAtEnd, put, group.stop.get_token()); !read) return read;
    const auto sums = scatter.TakeSums();
    const MutexLock lock(mutex_);
    group.sums.insert(group.sums.end(), sums.begin(), sums.end());
    return {};
  });
  RequestEnded(group, fetched);
}

void ReaderCore::RequestEnded(Group& group, const Result<void>& fetched) {
  bool is_first_failure = false;
  {
    const MutexLock lock(mutex_);
    is_first_failure = !fetched && !group.error;
    if (is_first_failure) group.error = fetched.error();
    --group.pending;
  }
  if (is_first_failure) group.stop.request_stop();
  arrivals_.NotifyAll();
}

// Where an exception leaves a read, its requests must not write into the caller's memory any more.
ReaderCore::Awaited::~Awaited() {
  MutexLock lock(core.mutex_);
  if (group.pending == 0) return;
  lock.unlock();
  group.stop.request_stop();
  lock.lock();
  core.arrivals_.Wait(lock, [&] { return group.pending == 0; });
}

Result<void> ReaderCore::Await(Group& group) {
  MutexLock lock(mutex_);
  arrivals_.Wait(lock, [&] { return group.pending == 0; });
  if (group.error) return *group.error;
  return {};
}

Result<void> ReaderCore::Fetch(const Range& range, Delivery delivery, const ReadAhead::Deliver& deliver,
                               const std::stop_token& stop) {
  ClaimedChecksums checksums([&] {
    const MutexLock lock(mutex_);
    return checksums_.Claim(range);
  }());
  std::uint64_t position = range.offset;
  const RangeSink sink = [&](std::uint64_t offset, std::span<const std::byte> bytes) -> Result<void> {
    if (offset == range.offset) checksums.Clear();
    checksums.Add(offset, bytes);
    deliver(offset, bytes);
    position = offset + bytes.size();
    return {};
  };
  ++requests_;
  const auto read =
      object_.ReadRange(range, {.sink = sink, .may_repeat = true, .is_copy = true, .sums_itself = true}, stop);
  {
    // After a failure, the bytes that a reader may have taken count.
    const MutexLock lock(mutex_);
    checksums.Settle(read || delivery == Delivery::kEarly ? position : range.offset, checksums_);
  }
  arrivals_.NotifyAll();  // For VerifyWhole().
  if (!read) return read.error();
  fetched_bytes_ += read->times.bytes;
  pace_.Note(read->times.first_byte, read->times.total - read->times.first_byte, read->times.bytes);
  return {};
}

void ReaderCore::Prefetch(const std::vector<ByteRange>& ranges) {
  if (!CheckUsable()) return;
  std::vector<Range> wanted;
  for (const ByteRange& range : ranges) {
    if (range.offset >= source_.size) continue;
    const std::uint64_t left = source_.size - range.offset;
    const std::uint64_t end = range.offset + std::min(left, range.length.value_or(left));
    for (std::uint64_t at = range.offset; at < end; at += wanted.back().length) {
      wanted.push_back({at, std::min(longest_range_, end - at)});
    }
  }
  ahead_->Want(wanted, /*is_of_stream=*/false);
}

Result<std::size_t> ReaderCore::ReadNext(std::span<std::byte> destination) {
  if (auto usable = CheckUsable(); !usable) return usable.error();
  if (position_ >= source_.size || destination.empty()) return std::size_t{0};
  const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(destination.size(), source_.size - position_));
  const std::uint64_t end = position_ + length;
  lent_.reset();
  // A long read fetches its own missing bytes first, and then the bytes behind it.
  const bool is_long = length >= FirstRange(options_) && !options_.reads_whole;
  if (!is_long) ReadAheadFrom(position_);
  bool waited = false;
  const auto on_taken = [&](std::uint64_t taken) {
    ahead_->DropBefore(taken);
    if (is_long) ReadAheadFrom(end);
  };
  const auto read = ReadRanges({{position_, destination.first(length)}}, waited, {.on_taken = on_taken});
  if (!read) return read.error();
  if (is_long) ReadAheadFrom(end);
  position_ = end;
  Adapt(waited, length);
  return length;
}

Result<std::span<const std::byte>> ReaderCore::NextView() {
  if (auto usable = CheckUsable(); !usable) return usable.error();
  lent_.reset();
  if (position_ >= stream_end_) return std::span<const std::byte>();
  ahead_->DropBefore(position_);
  ReadAheadFrom(position_);
  bool waited = false;
  const std::stop_callback on_stop(options_.stop, [&] { ahead_->Wake(); });
  auto held = ahead_->Pin(position_, options_.stop, waited);
  if (!held) return held.error();
  lent_ = std::move(held->chunk);
  auto lent = lent_ ? Result<std::span<const std::byte>>(held->bytes) : FetchOwn(waited);
  if (!lent) return lent;
  position_ += lent->size();
  Adapt(waited, lent->size());
  return lent;
}

Result<std::span<const std::byte>> ReaderCore::FetchOwn(bool& waited) {
  if (auto usable = CheckUsable(); !usable) return usable.error();
  if (!own_) own_ = MakeChunkMemory(static_cast<std::size_t>(FirstRange(options_)), source_.size);
  if (!own_) return Error{ErrorCode::kLocalIo, "read of " + ToUri(source_.object) + ": there is no memory for it"};
  const std::uint64_t length = std::min(FirstRange(options_), stream_end_ - position_);
  const std::span<std::byte> bytes(own_.get(), static_cast<std::size_t>(length));
  if (auto read = ReadRanges({{position_, bytes}}, waited, {}); !read) return read.error();
  return std::span<const std::byte>(bytes);
}

void ReaderCore::ReadAheadFrom(std::uint64_t offset) {
  ahead_end_ = std::max(ahead_end_, offset);
  std::vector<Range> ranges;
  const std::uint64_t end = std::min(stream_end_, offset + std::min(window(), source_.size));
  while (ahead_end_ < end) {
    // Whole ranges for any window, because small requests cost as much as large ones.
    const std::uint64_t most = std::min({RangeAhead(), options_.read_ahead_bytes, stream_end_ - ahead_end_});
    const Range gap = ahead_->FirstGap({ahead_end_, most});
    if (gap.length > 0) ranges.push_back(gap);
    ahead_end_ = gap.end();
  }
  if (ahead_end_ >= stream_end_) ahead_->DropSpareMemory();
  const std::size_t fit = ahead_->Want(ranges, /*is_of_stream=*/true);
  if (fit < ranges.size()) ahead_end_ = ranges[fit].offset;
}

void ReaderCore::Adapt(bool waited, std::size_t bytes) {
  if (options_.reads_whole) return;
  constexpr std::uint64_t kEasyRanges = 8;
  const std::uint64_t least = FirstRange(options_);
  if (waited) {
    easy_bytes_ = 0;
    window_ = std::min(options_.read_ahead_bytes, window_.load() * 2);
    return;
  }
  easy_bytes_ += bytes;
  if (easy_bytes_ < kEasyRanges * least) return;
  easy_bytes_ = 0;
  window_ = std::max(least, window_.load() - std::min(window_.load(), least));
}

void ReaderCore::Seek(std::uint64_t offset) {
  if (!owner_.IsCurrent() || offset == position_) return;
  lent_.reset();
  const bool is_ahead = offset > position_ && offset < ahead_end_;
  position_ = offset;
  ahead_->KeepOfStream(is_ahead ? Range{offset, ahead_end_ - offset} : Range{});
  if (!is_ahead) ahead_end_ = std::min(offset, source_.size);
}

void ReaderCore::SeekWithin(const Range& range) {
  lent_.reset();
  ahead_->KeepOfStream({});
  position_ = ahead_end_ = range.offset;
  stream_end_ = range.end();
}

Result<void> ReaderCore::VerifyWhole() {
  if (auto usable = CheckUsable(); !usable) return usable;
  while (true) {
    std::vector<Range> missing;
    {
      MutexLock lock(mutex_);
      missing = checksums_.Claim({0, source_.size});
      for (const Range& range : missing) checksums_.Settle(range, 0, 0);  // Their fetches claim them again.
      if (missing.empty()) {
        arrivals_.Wait(lock, [&]() REQUIRES(mutex_) { return !checksums_.is_claimed(); });
        if (checksums_.Whole(source_.size)) break;
        continue;  // One of those in progress failed.
      }
    }
    std::uint64_t total = 0;
    for (const Range& range : missing) total += range.length;
    const std::uint64_t range_bytes = EvenRange(total, options_.range_bytes);
    std::vector<JoinedRange> requests;
    for (const Range& range : missing) {
      for (std::uint64_t at = range.offset; at < range.end(); at += requests.back().range.length) {
        requests.push_back({.range = {at, std::min(range_bytes, range.end() - at)}});
      }
    }
    const auto group = Start(std::move(requests));
    const Awaited awaited{*this, *group};
    const std::stop_callback on_stop(options_.stop, [&] { group->stop.request_stop(); });
    if (auto done = Await(*group); !done) return done;
  }
  MutexLock lock(mutex_);
  const std::uint32_t came = *checksums_.Whole(source_.size);
  lock.unlock();
  if (auto checked = object_.CheckWhole(came); !checked) return checked;
  return object_.CompareWithAnswers(came);  // A service may contradict itself.
}

}  // namespace gcsflux::internal
