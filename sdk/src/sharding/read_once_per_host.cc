#include "sharding/read_once_per_host.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/message.h"
#include "sharding/ranks/host_memory.h"
#include "sharding/shared_reads.h"

namespace gcsflux::internal {

template <SameAs<HostMemoryPlace> Self>
auto FieldsOf(Self& place) {
  return std::tie(place.process, place.descriptor, place.mark);
}

namespace {

/// A rank's list of wanted bytes, and its memory for bytes that it reads for others.
struct OwnMemory {
  HostMemory wanted;
  HostMemory shared;
};

/// Where another rank finds them.
struct RankOnHost {
  std::string host = {};
  HostMemoryPlace wanted = {};
  std::uint64_t wanted_size = 0;
  HostMemoryPlace shared = {};
  std::optional<Error> problem = {};  ///< Then the others are not set.
};

std::vector<FileStretch> StretchesOf(const LoadPlan& plan) {
  std::vector<FileStretch> stretches;
  for (std::size_t file = 0; file < plan.files.size(); ++file) {
    for (const RangeRead& range : plan.files[file].ranges) {
      stretches.push_back({file, range.offset, range.offset + range.into.size()});
    }
  }
  return stretches;
}

Result<OwnMemory> MakeOwnMemory(const LoadPlan& plan) {
  auto wanted = HostMemory::Create();
  if (!wanted) return wanted.error();
  const std::string text = FormatFileStretches(StretchesOf(plan));
  if (auto sized = wanted->Resize(text.size()); !sized) return sized.error();
  std::memcpy(wanted->bytes().data(), text.data(), text.size());
  auto shared = HostMemory::Create();
  if (!shared) return shared.error();
  return OwnMemory{*std::move(wanted), *std::move(shared)};
}

template <SameAs<RankOnHost> Self>
auto FieldsOf(Self& rank) {
  return std::tie(rank.host, rank.wanted, rank.wanted_size, rank.shared, rank.problem);
}

std::string FormatRank(const Result<OwnMemory>& own, const std::string& host) {
  if (!own) return MessageWriter().Put(RankOnHost{.problem = own.error()}).Take();
  return MessageWriter()
      .Put(RankOnHost{.host = host,
                      .wanted = own->wanted.place(),
                      .wanted_size = own->wanted.bytes().size(),
                      .shared = own->shared.place()})
      .Take();
}

/// This rank among those of its host.
class HostReads {
 public:
  HostReads(const LoadPlan& plan, OwnMemory& own, std::vector<RankOnHost> ranks, std::size_t index)
      : plan_(plan), own_(own), ranks_(std::move(ranks)), index_(index) {}

  /// Reads this rank's share into the memory that others see. Reads what only this rank wants into its destination.
  Result<void> Read(StepFileReads& files, StepFileReads::Share share, const std::stop_token& stop) {
    if (auto planned = PlanReads(); !planned) return planned;
    std::vector<std::vector<RangeRead>> of_files(plan_.files.size());
    if (auto sized = own_.shared.Resize(reads_->BytesOf(index_)); !sized) return sized;
    std::span<std::byte> buffer = own_.shared.bytes();
    for (const FileStretch& one : reads_->ReadBy(index_)) {
      of_files[one.file].push_back({one.begin, buffer.first(static_cast<std::size_t>(one.size()))});
      buffer = buffer.subspan(static_cast<std::size_t>(one.size()));
    }
    ForEachChunk([&](const SharedReads::Chunk& chunk, std::span<std::byte> into) {
      if (!chunk.reader) of_files[chunk.stretch.file].push_back({chunk.stretch.begin, into});
    });
    return files.Read(
        of_files, share, [](std::size_t) { return Result<void>(); }, stop);
  }

  /// Copies what the ranks of the host have read.
  Result<void> Copy(std::atomic<std::uint64_t>& moved, const std::stop_token& stop) {
    std::vector<HostMemory> of_ranks;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      auto opened = HostMemory::Open(ranks_[rank].shared, reads_->BytesOf(rank));
      if (!opened) return opened.error();
      of_ranks.push_back(*std::move(opened));
    }
    ForEachChunk([&](const SharedReads::Chunk& chunk, std::span<std::byte> into) {
      if (!chunk.reader || stop.stop_requested()) return;
      std::memcpy(into.data(), of_ranks[*chunk.reader].bytes().data() + chunk.place, into.size());
      moved += into.size();
    });
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "was cancelled"};
    return {};
  }

 private:
  Result<void> PlanReads() {
    std::vector<std::vector<FileStretch>> wanted;
    for (const RankOnHost& rank : ranks_) {
      const auto memory = HostMemory::Open(rank.wanted, rank.wanted_size);
      if (!memory) {
        Error error = memory.error();
        error.message += "; clear CheckpointRunOptions::reads_once_per_host if ranks may not see each other's memory";
        return error;
      }
      const std::span<const std::byte> bytes = memory->bytes();
      auto stretches = ParseFileStretches({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      if (!stretches) return Error{ErrorCode::kBadResponse, "a rank of this host announces broken ranges"};
      wanted.push_back(*std::move(stretches));
    }
    reads_.emplace(wanted);
    return {};
  }

  template <class Use>
  void ForEachChunk(const Use& use) const {
    for (std::size_t file = 0; file < plan_.files.size(); ++file) {
      for (const RangeRead& range : plan_.files[file].ranges) {
        std::span<std::byte> into = range.into;
        for (const auto& chunk : reads_->ChunksOf({file, range.offset, range.offset + into.size()})) {
          const auto size = static_cast<std::size_t>(chunk.stretch.size());
          use(chunk, into.first(size));
          into = into.subspan(size);
        }
      }
    }
  }

  const LoadPlan& plan_;
  OwnMemory& own_;
  const std::vector<RankOnHost> ranks_;
  const std::size_t index_;
  std::optional<SharedReads> reads_;
};

// All ranks, or why one of them has no memory.
Result<std::vector<RankOnHost>> Meet(MessageGroup& group, const CollectiveLimits& limits, const Result<OwnMemory>& own,
                                     const std::string& host) {
  const auto told = group.AllGather(FormatRank(own, host), limits);
  if (!told) return told.error();
  std::vector<RankOnHost> ranks;
  for (const std::string& one : *told) {
    RankOnHost rank;
    MessageReader(one).Take(rank);
    if (rank.problem) {
      return Error{rank.problem->code, group.Label(static_cast<int>(ranks.size())) + ": " + rank.problem->message};
    }
    ranks.push_back(std::move(rank));
  }
  return ranks;
}

}  // namespace

Result<void> ReadOncePerHost(StepFileReads& files, MessageGroup& group, const CollectiveLimits& limits,
                             const LoadPlan& plan, const std::string& host, const std::stop_token& stop) {
  auto own = MakeOwnMemory(plan);
  auto met = Meet(group, limits, own, host);
  if (!met) return met.error();
  const auto is_elsewhere = [&](const RankOnHost& rank) { return rank.host != host; };
  const auto before = met->begin() + group.rank();
  const auto index = static_cast<std::size_t>(group.rank() - std::count_if(met->begin(), before, is_elsewhere));
  std::erase_if(*met, is_elsewhere);
  HostReads reads(plan, *own, *std::move(met), index);
  const StepFileReads::Share share{.rank = group.rank(), .ranks = group.world_size()};
  const WorkOfRank read = [&](std::atomic<std::uint64_t>&, const std::stop_token& asked) {
    return reads.Read(files, share, asked);
  };
  const auto moved = [&] { return files.FetchedBytes(); };
  if (auto done = WorkOnAllRanks(group, limits.deadline, read, stop, moved); !done) return done;
  const WorkOfRank copy = [&](std::atomic<std::uint64_t>& copied, const std::stop_token& asked) {
    return reads.Copy(copied, asked);
  };
  return WorkOnAllRanks(group, limits.deadline, copy, stop);
}

}  // namespace gcsflux::internal
