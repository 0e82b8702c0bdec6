#pragma once

#include <cstdint>
#include <optional>

#include "dataset/batch_order.h"
#include "dataset/epoch_plan.h"
#include "gcsflux/epoch.h"

namespace gcsflux::internal {

/// The batches of one rank over a known listing: of one epoch, or of all epochs without end.
class EpochOrder : public BatchOrder {
 public:
  /// Begins at `start`. The listing must have a batch for the rank in every epoch: EpochProgress::Create() checks that.
  EpochOrder(const EpochOptions& options, Cursor start, bool all_epochs);

  std::optional<PlannedBatch> Next() override;
  [[nodiscard]] bool is_over() const override { return !all_epochs_ && next_ == plan_.batches(); }
  /// Of this epoch, and of the next one if there is one.
  [[nodiscard]] std::uint64_t expected() const override;

 private:
  [[nodiscard]] EpochPlan PlanHere() const { return {options_, here_.listing.count, here_.epoch, here_.consumed}; }

  const EpochOptions options_;
  const bool all_epochs_;
  Cursor here_;  // At the beginning of the plan.
  EpochPlan plan_;
  std::uint64_t next_ = 0;  // Index of the batch in the plan.
};

}  // namespace gcsflux::internal
