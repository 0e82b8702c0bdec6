#include "sharding/load_plan.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "formats/bytes/boxes.h"
#include "formats/bytes/format_error.h"
#include "formats/bytes/tensor_layout.h"

namespace gcsflux::internal {
namespace {

using Sizes = std::vector<std::int64_t>;

const Sizes& WholeShape(const StepTensor& slice) { return slice.offsets.empty() ? slice.shape : slice.whole_shape; }

// A whole has no offsets.
Sizes Offsets(const Sizes& offsets, std::size_t dimensions) { return offsets.empty() ? Sizes(dimensions, 0) : offsets; }

/// The elements that two boxes of one tensor have in common, as runs that are contiguous in both.
class CommonRuns {
 public:
  CommonRuns(const Box& stored, const Box& wanted) : stored_(stored), wanted_(wanted) {
    for (std::size_t i = 0; i < stored.sizes.size(); ++i) {
      begin_.push_back(std::max(stored.offsets[i], wanted.offsets[i]));
      end_.push_back(std::min(stored.offsets[i] + stored.sizes[i], wanted.offsets[i] + wanted.sizes[i]));
      is_empty_ = is_empty_ || begin_[i] >= end_[i];
    }
  }

  [[nodiscard]] bool IsEmpty() const { return is_empty_; }
  /// Whether all of the stored box is wanted.
  [[nodiscard]] bool IsAllOfStored() const { return Covers(stored_, 0); }

  /// Calls `run(stored, wanted, count)` with the places of a run in both boxes, in elements.
  template <class Run>
  void ForEach(const Run& run) const {
    // From dimension `inner` on, a run continues from one row to the next.
    std::size_t inner = begin_.size();
    while (inner > 0 && Covers(stored_, inner) && Covers(wanted_, inner)) --inner;
    std::uint64_t count = 1;
    for (std::size_t i = inner; i < begin_.size(); ++i) count *= static_cast<std::uint64_t>(end_[i] - begin_[i]);
    const Sizes stored_strides = ContiguousStrides(stored_.sizes);
    const Sizes wanted_strides = ContiguousStrides(wanted_.sizes);
    Sizes at = begin_;
    for (bool is_done = false; !is_done;) {
      run(PlaceOf(at, stored_, stored_strides), PlaceOf(at, wanted_, wanted_strides), count);
      is_done = true;
      for (std::size_t i = inner; i-- > 0 && is_done;) {
        is_done = ++at[i] == end_[i];
        if (is_done) at[i] = begin_[i];
      }
    }
  }

 private:
  // Whether the common part covers the box in the dimensions from `first` on.
  [[nodiscard]] bool Covers(const Box& box, std::size_t first) const {
    for (std::size_t i = first; i < begin_.size(); ++i) {
      if (end_[i] - begin_[i] != box.sizes[i]) return false;
    }
    return true;
  }
  static std::uint64_t PlaceOf(const Sizes& at, const Box& box, const Sizes& strides) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < at.size(); ++i) place += (at[i] - box.offsets[i]) * strides[i];
    return static_cast<std::uint64_t>(place);
  }

  const Box stored_;
  const Box wanted_;
  Sizes begin_;
  Sizes end_;
  bool is_empty_ = false;
};

class LoadPlanner {
 public:
  explicit LoadPlanner(const CheckpointManifest& manifest) {
    plan_.files.resize(manifest.files.size());
    for (const StepTensor& slice : manifest.tensors) by_name_[slice.name].push_back(&slice);
  }

  void Add(const PartToLoad& wanted) {
    const auto found = by_name_.find(wanted.part.name);
    if (found == by_name_.end()) return Refuse(wanted.part, "is not in the step");
    if (const auto why = WhyNot(wanted, found->second)) return Refuse(wanted.part, *why);
    for (const StepTensor* const slice : found->second) AddSlice(wanted, *slice);
  }

  LoadPlan Take() && { return std::move(plan_); }

 private:
  using Slices = std::vector<const StepTensor*>;

  void Refuse(const TensorPart& part, const std::string& why) {
    plan_.problems.push_back("tensor " + Shown(part.name) + " " + why);
  }

  static std::optional<std::string> WhyNot(const PartToLoad& wanted, const Slices& slices) {
    const TensorPart& part = wanted.part;
    const StepTensor& first = *slices.front();
    for (const StepTensor* const slice : slices) {
      const bool is_alone = slice->offsets.empty() && slices.size() == 1;
      if (!is_alone && slice->whole_shape.empty()) return "is there more than once, or as slices of an unknown whole";
      if (!slice->strides.empty()) return "is stored with strides; load the step by CheckpointRun";
    }
    if (first.dtype != part.dtype || WholeShape(first) != part.shape) {
      return "is " + std::string(DTypeName(part.dtype)) + " " + ShownShape(part.shape) + ", and in the step " +
             std::string(DTypeName(first.dtype)) + " " + ShownShape(WholeShape(first));
    }
    const bool is_slice = !part.offsets.empty() || !part.sizes.empty();
    if (is_slice && !IsWithin({part.offsets, part.sizes}, part.shape))
      return "has a slice that is not within its shape";
    const std::uint64_t bytes = *ElementCount(part.OwnShape()) * ElementBytes(part.dtype);
    if (bytes == wanted.into.size()) return std::nullopt;
    return "takes " + std::to_string(bytes) + " bytes, and its memory has " + std::to_string(wanted.into.size());
  }

  void AddSlice(const PartToLoad& wanted, const StepTensor& slice) {
    const TensorPart& part = wanted.part;
    const Sizes stored_offsets = Offsets(slice.offsets, slice.shape.size());
    const Sizes wanted_offsets = Offsets(part.offsets, part.shape.size());
    const CommonRuns common({stored_offsets, slice.shape}, {wanted_offsets, part.OwnShape()});
    if (common.IsEmpty()) return;
    FileReads& file = plan_.files[slice.file];
    const std::size_t first = file.ranges.size();
    const std::uint64_t element = ElementBytes(part.dtype);
    common.ForEach([&](std::uint64_t stored, std::uint64_t place, std::uint64_t count) {
      file.ranges.push_back(
          {slice.range.begin + stored * element,
           wanted.into.subspan(static_cast<std::size_t>(place * element), static_cast<std::size_t>(count * element))});
    });
    const std::size_t count = file.ranges.size() - first;
    if (slice.crc32c && common.IsAllOfStored())
      file.whole.push_back({&slice, first, count});
    else if (slice.crc32c && count == 1)
      file.parts.push_back({&slice, first});
  }

  LoadPlan plan_;
  std::map<std::string_view, Slices> by_name_;
};

}  // namespace

LoadPlan PlanLoad(const CheckpointManifest& manifest, std::span<const PartToLoad> parts) {
  LoadPlanner planner(manifest);
  for (const PartToLoad& part : parts) planner.Add(part);
  return std::move(planner).Take();
}

}  // namespace gcsflux::internal
