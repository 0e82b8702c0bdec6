#include "sharding/load_sharded.h"

#include <utility>

#include "base/crc32c.h"
#include "base/message.h"
#include "base/stop_after.h"
#include "formats/bytes/format_error.h"
#include "sharding/announced_read.h"
#include "sharding/load_plan.h"
#include "sharding/ranks/caught.h"
#include "sharding/ranks/work_of_ranks.h"
#include "sharding/read_once_per_host.h"
#include "sharding/slice_checksums.h"
#include "sharding/step_file_reads.h"

namespace gcsflux::internal {
namespace {

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

// Each rank reads what it wants itself.
Result<void> ReadOnEachRank(StepFileReads& files, MessageGroup& group, std::chrono::milliseconds deadline,
                            const LoadPlan& plan, const StepFileReads::WhenRead& check, const std::stop_token& stop) {
  const StepFileReads::Share share{.rank = group.rank(), .ranks = group.world_size()};
  const WorkOfRank work = [&](std::atomic<std::uint64_t>&, const std::stop_token& asked) {
    std::vector<std::vector<RangeRead>> of_files;
    for (const FileReads& file : plan.files) of_files.push_back(file.ranges);
    return files.Read(of_files, share, check, asked);
  };
  return WorkOnAllRanks(group, deadline, work, stop, [&] { return files.FetchedBytes(); });
}

// Each rank compares its parts in its own memory, because other ranks of the host may have read their bytes.
Result<void> CheckOnEachRank(MessageGroup& group, std::chrono::milliseconds deadline, const LoadPlan& plan,
                             const StepFileReads::WhenRead& check, const std::stop_token& stop) {
  const WorkOfRank work = [&](std::atomic<std::uint64_t>& compared, const std::stop_token& asked) -> Result<void> {
    for (std::size_t file = 0; file < plan.files.size(); ++file) {
      if (asked.stop_requested()) return Error{ErrorCode::kCancelled, "was cancelled"};
      if (auto checked = check(file); !checked) return checked;
      ++compared;
    }
    return {};
  };
  return WorkOnAllRanks(group, deadline, work, stop);
}

// What this rank has read of each slice, or an error if it has no memory for that list.
std::string FormatOwnStretches(const CheckpointManifest& step, const LoadPlan& plan) {
  const auto text = Caught([&] { return FormatStretches(StretchesOf(step, plan)); });
  return MessageWriter()
      .Put(text ? std::string_view(*text) : "", text ? std::nullopt : std::optional(text.error()))
      .Take();
}

Result<void> CheckAll(const Collective& group, const CheckpointManifest& step, std::span<const std::string> of_ranks) {
  std::vector<ReadStretch> all;
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    MessageReader message(of_ranks[rank]);
    const auto stretches = ParseStretches(message.Text());
    std::optional<Error> why;
    message.Take(why);
    if (why) return Error{why->code, group.Label(static_cast<int>(rank)) + ": " + why->message};
    all.insert(all.end(), stretches.begin(), stretches.end());
  }
  return CheckStretches(step, std::move(all));
}

// Rank 0 combines what ranks have read of the same slices.
Result<void> CheckTogether(MessageGroup& group, const CollectiveLimits& limits, const CheckpointManifest& step,
                           const LoadPlan& plan) {
  const auto told = group.Gather(FormatOwnStretches(step, plan), limits);
  if (!told) return told.error();
  MessageWriter verdict;
  if (group.rank() == 0) {
    Result<void> checked;
    const auto done = Caught([&] { return checked = CheckAll(group, step, *told), true; });
    if (!done) checked = done.error();
    if (!checked) verdict.Put(checked.error());
  }
  const auto answer = group.Broadcast(verdict.Take(), limits);
  if (!answer) return answer.error();
  if (answer->empty()) return {};
  MessageReader reader(*answer);
  return TakeError(reader);
}

std::string LoadCall(StepStore& steps, std::int64_t step) {
  return "the load of step " + std::to_string(step) + " of " + steps.uri();
}

}  // namespace

Error RefuseLoad(StepStore& steps, MessageGroup& group, const ShardedOptions& options, std::int64_t step,
                 const Error& why, const std::stop_token& stop) {
  const StopAfter broken(stop, PatienceAfterStop(options.deadline));
  const auto agreed = AgreeOnRead(group, {.deadline = options.deadline, .stop = broken.token()},
                                  {.call = LoadCall(steps, step), .refusal = why});
  return agreed ? why : agreed.error();
}

Result<void> LoadOnAllRanks(StepStore& steps, MessageGroup& group, const ShardedOptions& options,
                            const CheckpointManifest& step, std::span<const PartToLoad> parts,
                            const std::stop_token& stop, const std::string& host) {
  const StopAfter broken(stop, PatienceAfterStop(options.deadline));
  const CollectiveLimits limits{.deadline = options.deadline, .stop = broken.token()};
  auto planned = Caught([&] { return PlanLoad(step, parts); });
  std::optional<Error> refusal;
  if (!planned) refusal = planned.error();
  LoadPlan plan = planned ? *std::move(planned) : LoadPlan();
  const AnnouncedRead announced{.call = LoadCall(steps, step.step),
                                .reads_once_per_host = options.reads_once_per_host,
                                .problems = std::move(plan.problems),
                                .refusal = std::move(refusal)};
  if (auto agreed = AgreeOnRead(group, limits, announced); !agreed) return agreed;
  const StepFileReads::WhenRead check = [&](std::size_t file) {
    return CheckSlices(plan.files[file], steps.uri() + step.files[file].name);
  };
  StepFileReads files(steps, options.reader, step);
  if (!options.reads_once_per_host) {
    auto read = ReadOnEachRank(files, group, options.deadline, plan, check, stop);
    if (!read) return read;
  } else {
    auto read = ReadOncePerHost(files, group, limits, plan, host, stop);
    if (read) read = CheckOnEachRank(group, options.deadline, plan, check, stop);
    if (!read) return read;
  }
  return CheckTogether(group, limits, step, plan);
}

}  // namespace gcsflux::internal
