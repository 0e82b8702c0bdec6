#include "transfer/download/joined_fetch.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "base/crc32c.h"

namespace gcsflux::internal {
namespace {

// The bytes between two parts are fetched too. They take less time than another request.
constexpr std::uint64_t kMostBetween = 16 << 10;
// A request of this length takes about as long as the wait for its first byte. Longer ones would leave connections
// without work.
constexpr std::uint64_t kMostJoined = 2 << 20;

std::uint64_t EndOf(const DownloadSource& part) { return *part.offset + part.size; }

bool Follows(const DownloadSource& part, const DownloadSource& before) {
  return part.offset && part.generation == before.generation && *part.offset >= EndOf(before) &&
         *part.offset - EndOf(before) <= kMostBetween && part.object.name == before.object.name &&
         part.object.bucket == before.object.bucket;
}

DownloadSource Joined(std::span<const DownloadSource> sources) {
  DownloadSource joined = sources.front();
  joined.size = EndOf(sources.back()) - *joined.offset;
  joined.crc32c.reset();
  return joined;
}

}  // namespace

std::size_t TakeJoined(std::span<const DownloadSource> sources, std::uint64_t max_bytes) {
  if (!sources.front().offset || sources.front().size == 0) return 1;
  const std::uint64_t most = std::min(max_bytes, kMostJoined);
  std::size_t count = 1;
  while (count < sources.size() && sources[count].size > 0 && Follows(sources[count], sources[count - 1]) &&
         EndOf(sources[count]) - *sources.front().offset <= most) {
    ++count;
  }
  return count;
}

JoinedFetch::JoinedFetch(const DirectReads& reads, std::span<const DownloadSource> sources,
                         std::span<Destination> destinations)
    : reads_(reads), sources_(sources), destinations_(destinations), joined_(Joined(sources)) {}

// Takes bytes in order. What is between two parts is dropped.
Result<void> JoinedFetch::Put(std::uint64_t offset, std::span<const std::byte> bytes) {
  std::uint64_t position = *joined_.offset + offset;
  while (!bytes.empty()) {
    while (at_ < sources_.size() && position >= EndOf(sources_[at_])) ++at_;
    if (at_ == sources_.size()) return {};
    const DownloadSource& source = sources_[at_];
    const bool is_between = position < *source.offset;
    const std::uint64_t end = is_between ? *source.offset : EndOf(source);
    const auto mine = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), end - position)));
    if (!is_between) {
      const auto place = destinations_[at_].Open();
      if (!place) return place.error();
      std::memcpy(place->data() + (position - *source.offset), mine.data(), mine.size());
      crc32c_[at_] = ExtendCrc32c(crc32c_[at_], mine);
    }
    position += mine.size();
    bytes = bytes.subspan(mine.size());
  }
  return {};
}

Result<void> JoinedFetch::FetchRange(std::size_t, const std::stop_token& stop) {
  crc32c_.assign(sources_.size(), 0);
  at_ = 0;
  PinnedObject object(reads_.client, joined_, reads_.options.encryption_key, reads_.options.call);
  const auto put = [this](std::uint64_t offset, std::span<const std::byte> bytes) { return Put(offset, bytes); };
  const RangeSink sink = std::ref(put);
  const auto read = object.ReadWhole({.sink = sink, .is_copy = true, .sums_itself = true}, stop);
  if (!read) return read.error();
  if (reads_.on_read) reads_.on_read(read->times);
  return {};
}

GroupOutcome JoinedFetch::Finish(const std::stop_token&) {
  GroupOutcome outcome;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const PinnedObject part(reads_.client, sources_[i], reads_.options.encryption_key, reads_.options.call);
    auto checked = part.CheckWhole(crc32c_[i]);
    if (checked) continue;
    if (checked.error().code == ErrorCode::kCorrupted && !std::exchange(is_repeated_, true)) {
      return {.is_to_be_repeated = true};
    }
    outcome.errors.resize(sources_.size());
    outcome.errors[i] = checked.error();
  }
  return outcome;
}

}  // namespace gcsflux::internal
