#include "sharding/load_sharded.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "base/crc32c.h"
#include "base/message.h"
#include "formats/bytes/format_error.h"
#include "sharding/load_plan.h"
#include "sharding/slice_checksums.h"
#include "sharding/stop_after.h"
#include "sharding/work_of_ranks.h"
#include "transfer/threads/worker_pool.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kFilesAtOnce = 8;
constexpr std::size_t kMostProblemsShown = 10;

// The problems of all ranks, each once; the same on all.
Result<void> AgreeOnProblems(Collective& group, const CollectiveLimits& limits,
                             const std::vector<std::string>& problems) {
  MessageWriter writer;
  for (const std::string& problem : problems) writer.Text(problem);
  const auto told = group.AllGather(writer.Take(), limits);
  if (!told.ok()) return told.error();
  std::set<std::string> all;
  for (const std::string& of_rank : *told) {
    for (MessageReader reader(of_rank); reader.ok() && !reader.AtEnd();) all.insert(reader.String());
  }
  if (all.empty()) return {};
  std::string text;
  std::size_t shown = 0;
  for (const std::string& problem : all) {
    if (shown++ == kMostProblemsShown) break;
    text += (text.empty() ? "" : "; ") + problem;
  }
  if (all.size() > kMostProblemsShown) text += "; and " + std::to_string(all.size() - kMostProblemsShown) + " more";
  return Error{ErrorCode::kUndecodable, text};
}

Result<void> CheckSlices(const FileReads& reads, const std::string& uri) {
  for (const WholeSlice& whole : reads.whole) {
    std::uint32_t crc32c = 0;
    for (const RangeRead& range : std::span(reads.ranges).subspan(whole.first, whole.count)) {
      crc32c = ExtendCrc32c(crc32c, range.into);
    }
    if (crc32c == *whole.slice->crc32c) continue;
    return Error{ErrorCode::kCorrupted, uri + ": the bytes of tensor " + Shown(whole.slice->name) +
                                            " do not have the CRC32C that the manifest says; load another step"};
  }
  return {};
}

std::vector<ReadStretch> StretchesOf(const CheckpointManifest& step, const LoadPlan& plan) {
  std::vector<ReadStretch> stretches;
  for (const FileReads& file : plan.files) {
    for (const PartOfSlice& part : file.parts) {
      const RangeRead& range = file.ranges[part.range];
      const std::uint64_t begin = range.offset - part.slice->range.begin;
      stretches.push_back({.tensor = static_cast<std::size_t>(part.slice - step.tensors.data()),
                           .begin = begin,
                           .end = begin + range.into.size(),
                           .crc32c = ExtendCrc32c(0, range.into)});
    }
  }
  return stretches;
}

/// The files that a rank reads.
class FilesOfRank {
 public:
  FilesOfRank(const CheckpointSteps& steps, const ObjectReaderOptions& options, const CheckpointManifest& step,
              const LoadPlan& plan)
      : steps_(steps), options_(options), step_(step), plan_(plan) {}

  /// All that is wanted of a file, in one call: between two calls, connections would wait for each other. Thread-safe.
  Result<void> Read(std::size_t file, const std::stop_token& stop) {
    ObjectReaderOptions options = options_;
    options.tail_bytes = 0;  // There is no directory.
    options.stop = stop;
    auto opened = steps_.OpenFile(step_.files[file], options);
    if (!opened.ok()) return opened.error();
    const auto reader = std::make_shared<const ObjectReader>(*std::move(opened));
    Count(reader);
    if (auto read = reader->Read(plan_.files[file].ranges); !read.ok()) return read;
    return CheckSlices(plan_.files[file], steps_.uri() + step_.files[file].name);
  }

  /// By all readers so far. Thread-safe.
  [[nodiscard]] std::uint64_t FetchedBytes() const {
    const std::lock_guard lock(mutex_);
    std::uint64_t bytes = 0;
    for (const auto& reader : readers_) bytes += reader->report().fetched_bytes;
    return bytes;
  }

 private:
  void Count(std::shared_ptr<const ObjectReader> reader) {
    const std::lock_guard lock(mutex_);
    readers_.push_back(std::move(reader));
  }

  const CheckpointSteps& steps_;
  const ObjectReaderOptions& options_;
  const CheckpointManifest& step_;
  const LoadPlan& plan_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const ObjectReader>> readers_;  // Guarded by mutex_.
};

// Rank 0 puts together what ranks have read of the same slices.
Result<void> CheckTogether(Collective& group, const CollectiveLimits& limits, const CheckpointManifest& step,
                           const LoadPlan& plan) {
  const auto told = group.Gather(FormatStretches(StretchesOf(step, plan)), limits);
  if (!told.ok()) return told.error();
  MessageWriter verdict;
  if (group.rank() == 0) {
    std::vector<ReadStretch> all;
    for (const std::string& of_rank : *told) {
      const auto stretches = ParseStretches(of_rank);
      all.insert(all.end(), stretches.begin(), stretches.end());
    }
    if (const auto checked = CheckStretches(step, std::move(all)); !checked.ok()) PutError(verdict, checked.error());
  }
  const auto answer = group.Broadcast(verdict.Take(), limits);
  if (!answer.ok()) return answer.error();
  if (answer->empty()) return {};
  MessageReader reader(*answer);
  return TakeError(reader);
}

}  // namespace

Result<void> LoadOnAllRanks(const CheckpointSteps& steps, Collective& group, const ShardedOptions& options,
                            const CheckpointManifest& step, std::span<const PartToLoad> parts,
                            const std::stop_token& stop) {
  const StopAfter broken(stop, PatienceAfterStop(options.deadline));
  const CollectiveLimits limits{.deadline = options.deadline, .stop = broken.token()};
  const LoadPlan plan = PlanLoad(step, parts);
  if (auto agreed = AgreeOnProblems(group, limits, plan.problems); !agreed.ok()) return agreed;
  std::vector<std::size_t> files;
  for (std::size_t file = 0; file < plan.files.size(); ++file) {
    if (!plan.files[file].ranges.empty()) files.push_back(file);
  }
  // Ranks that read the same files begin with different ones.
  const auto first =
      files.size() * static_cast<std::size_t>(group.rank()) / static_cast<std::size_t>(group.world_size());
  std::rotate(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  FilesOfRank reading(steps, options.reader, step, plan);
  const WorkOfRank work = [&](std::atomic<std::uint64_t>&, const std::stop_token& asked) {
    WorkerPool pool(std::min(files.size(), kFilesAtOnce));
    return pool.Run(
        files.size(),
        [&](std::size_t index, const std::stop_token& ended) { return reading.Read(files[index], ended); }, asked);
  };
  const auto moved = [&] { return reading.FetchedBytes(); };
  if (auto read = WorkOnAllRanks(group, options.deadline, work, stop, moved); !read.ok()) return read;
  return CheckTogether(group, limits, step, plan);
}

}  // namespace gcsflux::internal
