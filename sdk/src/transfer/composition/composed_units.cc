#include "transfer/composition/composed_units.h"

#include <algorithm>

#include "transfer/composition/planner.h"

namespace gcsflux::internal {

UnitPlanner::UnitPlanner(Composer& composer, std::span<const DownloadSource> sources, const UnitLimits& limits)
    : composer_(composer), sources_(sources), limits_(limits), chooser_(composer.settings().composition.mode) {
  for (const DownloadSource& source : sources) {
    if (source.size > limits.composite_bytes) continue;
    ++objects_;
    bytes_ += source.size;
  }
}

UnitPlan UnitPlanner::Plan(std::size_t first) {
  const std::size_t count = GroupAt(first);
  Pass(sources_.subspan(first, count));
  if (count > 1) return {.first = first, .count = count, .pieces = 1};
  composer_.CountDirect();
  return PlanDirect(sources_[first], first, limits_.stripe_bytes);
}

std::size_t UnitPlanner::GroupAt(std::size_t first) {
  const auto rest = sources_.subspan(first);
  const std::uint64_t max_bytes = limits_.composite_bytes;
  if (TakeGroup(rest, {.max_bytes = max_bytes}) < 2) return 1;
  return TakeGroup(rest, {.max_sources = ChooseGroup(rest), .max_bytes = max_bytes});
}

std::size_t UnitPlanner::ChooseGroup(std::span<const DownloadSource> rest) {
  const auto& settings = composer_.settings();
  const std::string& bucket = rest[0].object.bucket;
  const auto permit = composer_.permits().Peek(bucket);
  if (permit == BucketPermits::Permit::kNo) return 1;
  if (chooser_.has_turns()) return chooser_.TakeTurn();
  const RemainingWork work{.objects = static_cast<double>(objects_),
                           .mean_bytes = static_cast<double>(bytes_) / static_cast<double>(objects_),
                           .connections = settings.connections};
  const double fitting = static_cast<double>(limits_.composite_bytes) / std::max(1.0, work.mean_bytes);
  const auto most = static_cast<std::size_t>(std::clamp(fitting, 2.0, static_cast<double>(kMaxComposeSources)));
  const auto now = DueTasks::Clock::now();
  auto estimate = composer_.estimates().Get(now);
  estimate.costs.writes_per_second = composer_.WritesPerSecond(bucket);
  GroupChooser undecided = chooser_;
  const auto choice = undecided.Choose(work, most, estimate, now);
  const bool is_composing = choice.group > 1 || choice.wants_probe;
  // kOn waits for the check before its first composite; what kAuto reads directly meanwhile tells it what reads take.
  if (is_composing && permit == BucketPermits::Permit::kUnknown &&
      settings.composition.mode == CompositionMode::kAuto) {
    composer_.CheckSoon(bucket);
    return 1;
  }
  if (choice.wants_probe) composer_.ProbeSoon(rest.first(2));
  chooser_ = undecided;
  return choice.group;
}

void UnitPlanner::Pass(std::span<const DownloadSource> planned) {
  for (const DownloadSource& source : planned) {
    if (source.size > limits_.composite_bytes) continue;
    --objects_;
    bytes_ -= source.size;
  }
}

Result<void> ComposedFetch::FetchPiece(std::size_t, const std::stop_token& stop) {
  const std::string& bucket = sources_.front().object.bucket;
  const auto permitted = composer_.permits().Await(bucket, stop);
  if (!permitted) return permitted.error();
  if (!*permitted) {
    for (std::size_t i = 0; i < sources_.size(); ++i) composer_.CountDirect();
    return FetchDirectly(stop);
  }
  const auto fetched = composer_.Fetch(sources_, destinations_, stop);
  if (fetched) return {};
  if (stop.stop_requested()) return fetched;
  // A source that is gone says nothing about the bucket.
  if (fetched.error().code != ErrorCode::kNotFound) composer_.permits().NoteFailure(bucket, fetched.error());
  composer_.CountFallback(sources_.size(), fetched.error());
  return FetchDirectly(stop);
}

Result<void> ComposedFetch::FetchDirectly(const std::stop_token& stop) {
  errors_.resize(sources_.size());
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const auto read = ReadWhole(reads_, sources_[i], destinations_[i].bytes, stop);
    if (read) continue;
    if (stop.stop_requested()) return read;
    errors_[i] = read.error();
    if (reads_.options.on_failure == OnFailure::kFailAll) return {};
  }
  return {};
}

}  // namespace gcsflux::internal
