#include "transfer/composition/group_planner.h"

#include <algorithm>
#include <utility>

#include "transfer/composition/take_group.h"
#include "transfer/download/direct_fetch.h"

namespace gcsflux::internal {

GroupPlanner::GroupPlanner(PlanningContext context, CompositionMode mode, const PlannerLimits& limits)
    : context_(std::move(context)), mode_(mode), limits_(limits), chooser_(mode) {}

GroupPlan GroupPlanner::Plan(std::size_t first, std::span<const DownloadSource> rest, std::uint64_t expected) {
  Note(first, rest);
  expected_ = expected;
  const std::size_t count = GroupOf(rest);
  Pass(rest.first(count));
  const DownloadSource& source = rest.front();
  if (!MayBeCopiedUnder(limits_.kms_key_name, source.kms_key_name)) {
    context_.on_kms_key(source.object.bucket, source.kms_key_name.name());
  }
  if (count > 1) return {.first = first, .count = count, .ranges = 1};
  context_.on_direct();
  return PlanDirect(rest.front(), first, limits_.range_bytes);
}

bool GroupPlanner::IsCandidate(const DownloadSource& source) const {
  return !source.offset && source.size <= limits_.composite_bytes &&
         MayBeCopiedUnder(limits_.kms_key_name, source.kms_key_name);
}

void GroupPlanner::Note(std::size_t first, std::span<const DownloadSource> rest) {
  for (const DownloadSource& source : rest.subspan(std::min(rest.size(), known_ - std::min(known_, first)))) {
    if (!IsCandidate(source)) continue;
    ++objects_;
    bytes_ += source.size;
  }
  known_ = first + rest.size();
}

std::size_t GroupPlanner::GroupOf(std::span<const DownloadSource> rest) {
  if (mode_ == CompositionMode::kOff) return 1;
  if (TakeGroup(rest, {.max_bytes = limits_.composite_bytes, .kms_key_name = limits_.kms_key_name}) < 2) return 1;
  return TakeGroup(
      rest,
      {.max_sources = ChooseGroup(rest), .max_bytes = limits_.composite_bytes, .kms_key_name = limits_.kms_key_name});
}

std::size_t GroupPlanner::ChooseGroup(std::span<const DownloadSource> rest) {
  const std::string& bucket = rest[0].object.bucket;
  const auto permit = context_.permit(bucket);
  if (permit == BucketPermits::Permit::kNo) return 1;
  const auto estimate = context_.estimate(bucket);
  // A choice does not hold longer than the rate of writes that it went by.
  const bool is_throttled = estimate.costs.writes_per_second > 0;
  if (chooser_.has_turns() && !is_throttled) return chooser_.TakeTurn();
  // Sources to come are assumed to be objects of the same kind.
  const RemainingWork work{.objects = static_cast<double>(objects_ + expected_),
                           .mean_bytes = static_cast<double>(bytes_) / static_cast<double>(objects_),
                           .connections = limits_.connections()};
  GroupChooser chooser = chooser_;
  const auto choice = chooser.Choose(work, MostPerComposite(work.mean_bytes), estimate, context_.now());
  const bool is_interested = choice.group > 1 || choice.wants_probe;
  // kOn waits for the check before its first composite. The objects that kAuto reads meanwhile show how long reads
  // take.
  if (is_interested && permit == BucketPermits::Permit::kUnknown && mode_ == CompositionMode::kAuto) {
    context_.check_soon(bucket);
    return 1;
  }
  if (choice.wants_probe) context_.probe_soon(rest.first(2));
  chooser_ = chooser;
  return choice.group;
}

std::size_t GroupPlanner::MostPerComposite(double mean_bytes) const {
  const double fitting = static_cast<double>(limits_.composite_bytes) / std::max(1.0, mean_bytes);
  return static_cast<std::size_t>(std::clamp(fitting, 2.0, static_cast<double>(kMaxComposeSources)));
}

void GroupPlanner::Pass(std::span<const DownloadSource> planned) {
  for (const DownloadSource& source : planned) {
    if (!IsCandidate(source)) continue;
    --objects_;
    bytes_ -= source.size;
  }
}

}  // namespace gcsflux::internal
