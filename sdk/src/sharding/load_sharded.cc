#include "sharding/load_sharded.h"

#include <algorithm>
#include <set>

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
// What one call of a reader fetches. The other ranks see movement after each of them.
constexpr std::uint64_t kBytesAtOnce = std::uint64_t{64} << 20;

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

// Ranges of at most so many bytes together.
std::vector<std::vector<RangeRead>> InBatches(std::span<const RangeRead> ranges) {
  std::vector<std::vector<RangeRead>> batches(1);
  std::uint64_t held = 0;
  for (RangeRead left : ranges) {
    while (!left.into.empty()) {
      if (held == kBytesAtOnce) {
        batches.emplace_back();
        held = 0;
      }
      const std::size_t length = std::min(left.into.size(), static_cast<std::size_t>(kBytesAtOnce - held));
      batches.back().push_back({left.offset, left.into.first(length)});
      left = {left.offset + length, left.into.subspan(length)};
      held += length;
    }
  }
  return batches;
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
  const WorkOfRank work = [&](std::atomic<std::uint64_t>& moved, const std::stop_token& asked) {
    const auto read_file = [&](std::size_t index, const std::stop_token& ended) -> Result<void> {
      const std::size_t file = files[index];
      ObjectReaderOptions of_file = options.reader;
      of_file.tail_bytes = 0;  // There is no directory.
      of_file.stop = ended;
      const auto reader = steps.OpenFile(step.files[file], of_file);
      if (!reader.ok()) return reader.error();
      for (const auto& batch : InBatches(plan.files[file].ranges)) {
        if (auto read = reader->Read(batch); !read.ok()) return read;
        for (const RangeRead& range : batch) moved += range.into.size();
      }
      return CheckSlices(plan.files[file], steps.uri() + step.files[file].name);
    };
    WorkerPool pool(std::min(files.size(), kFilesAtOnce));
    return pool.Run(files.size(), read_file, asked);
  };
  if (auto read = WorkOnAllRanks(group, options.deadline, work, stop); !read.ok()) return read;
  return CheckTogether(group, limits, step, plan);
}

}  // namespace gcsflux::internal
