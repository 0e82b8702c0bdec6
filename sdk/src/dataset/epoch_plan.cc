#include "dataset/epoch_plan.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/object_name.h"
#include "base/option_range.h"

namespace gcsflux::internal {

Result<void> CheckEpochOptions(const EpochOptions& options) {
  const auto refuse = [](const std::string& why) { return Error{ErrorCode::kInvalidArgument, "EpochOptions::" + why}; };
  if (auto checked = CheckRanges({{"EpochOptions::batch_size", RangeOf("batch_size"), options.batch_size},
                                  {"EpochOptions::shuffle_buffer", RangeOf("shuffle_buffer"), options.shuffle_buffer}});
      !checked)
    return checked;
  if ((options.sample_order() == SampleOrder::kGiven) != options.given.has_value()) {
    return refuse(options.given ? "given is an order of its own: leave out EpochOptions::order"
                                : "given is missing, and EpochOptions::order is kGiven");
  }
  if (options.given && !options.given->shared().indices_of) return refuse("given is an empty function");
  if (options.epochs == 0) return refuse("epochs must be at least 1");
  if (options.world_size < 1) return refuse("world_size must be at least 1");
  if (options.rank >= options.world_size) {
    return refuse("rank is " + std::to_string(options.rank) + ", and world_size is " +
                  std::to_string(options.world_size) + ": ranks are counted from 0");
  }
  if (options.world_size > std::numeric_limits<std::uint32_t>::max()) return refuse("world_size must be below 2^32");
  return {};
}

Result<void> CheckHasBatches(const ListingFingerprint& listing, const EpochOptions& options) {
  if (options.sample_order() == SampleOrder::kGiven) return {};  // PrepareGiven() checks each epoch.
  if (EpochPlan(options, listing.count, 0, 0).batches() > 0) return {};
  return Error{ErrorCode::kInvalidArgument, "an epoch of the " + std::to_string(listing.count) + " objects of " +
                                                ToUri({listing.bucket, listing.prefix}) + " has no batch for rank " +
                                                std::to_string(options.rank) +
                                                "; lower EpochOptions::batch_size or world_size"};
}

EpochPlan::EpochPlan(const EpochOptions& options, std::uint64_t count, std::uint64_t epoch, std::uint64_t consumed)
    : options_(options),
      given_(FindGiven(options, epoch)),
      count_(SamplesOfEpoch(options, count, epoch)),
      consumed_(std::min(consumed, count_)),
      last_size_(full_size()),
      before_last_size_(full_size()) {
  if (options_.sample_order() == SampleOrder::kShuffled && count > 0) permutation_.emplace(count, options_.seed, epoch);
  const std::uint64_t left = count_ - consumed_;
  const std::uint64_t tail = left % full_size();
  global_batches_ = left / full_size();
  if (tail == 0) return;
  if (options_.tail == EpochTail::kDrop) {
    dropped_ = tail;
    return;
  }
  ++global_batches_;
  if (options_.tail == EpochTail::kPad) {
    padded_ = full_size() - tail;
    return;
  }
  // If the tail has no sample for some rank, the batch before gives the missing ones, if it can.
  const bool is_lent = tail < options_.world_size && global_batches_ > 1 && options_.batch_size > 1;
  last_size_ = is_lent ? options_.world_size : tail;
  if (is_lent) before_last_size_ = full_size() + tail - last_size_;
}

std::uint64_t EpochPlan::SizeOfAll(std::uint64_t index) const {
  if (index + 1 == global_batches_) return last_size_;
  return index + 2 == global_batches_ ? before_last_size_ : full_size();
}

EpochPlan::Batch EpochPlan::BatchAt(std::uint64_t index) const {
  const bool is_last = index + 1 == global_batches_;
  std::uint64_t begin = consumed_ + index * full_size();
  if (is_last && index > 0) begin -= full_size() - before_last_size_;
  const std::uint64_t size = SizeOfAll(index);
  const std::uint64_t share = size / options_.world_size;
  const std::uint64_t larger = size % options_.world_size;  // This many ranks have one more.
  return {.first = begin + options_.rank * share + std::min(options_.rank, larger),
          .size = share + (options_.rank < larger ? 1 : 0),
          .consumed = is_last ? count_ : begin + size};
}

std::uint64_t EpochPlan::SampleAt(std::uint64_t position) const {
  const std::uint64_t index = position % count_;
  if (given_) return given_->indices[static_cast<std::size_t>(index)];
  return permutation_ ? (*permutation_)(index) : index;
}

}  // namespace gcsflux::internal
