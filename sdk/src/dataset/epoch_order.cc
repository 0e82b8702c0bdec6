#include "dataset/epoch_order.h"

#include <utility>

namespace gcsflux::internal {

EpochOrder::EpochOrder(const EpochOptions& options, Cursor start, bool all_epochs)
    : options_(options), all_epochs_(all_epochs), here_(std::move(start)), plan_(PlanHere()) {}

std::optional<PlannedBatch> EpochOrder::Next() {
  while (next_ == plan_.batches()) {
    if (!all_epochs_) return std::nullopt;
    ++here_.epoch;
    here_.consumed = 0;
    plan_ = PlanHere();
    next_ = 0;
  }
  const EpochPlan::Batch batch = plan_.BatchAt(next_++);
  PlannedBatch planned{.epoch = here_.epoch, .cursor = here_};
  planned.samples.reserve(static_cast<std::size_t>(batch.size));
  for (std::uint64_t i = 0; i < batch.size; ++i) planned.samples.push_back(plan_.SampleAt(batch.first + i));
  const bool is_last = next_ == plan_.batches();
  planned.cursor.epoch += is_last ? 1 : 0;
  planned.cursor.consumed = is_last ? 0 : batch.consumed;
  return planned;
}

std::uint64_t EpochOrder::expected() const {
  const std::uint64_t left = (plan_.batches() - next_) * options_.batch_size;
  return left + (all_epochs_ ? here_.listing.count / options_.world_size : 0);
}

}  // namespace gcsflux::internal
