#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gcsflux/epoch.h"

namespace gcsflux {

/// Hands out the batches of epoch after epoch, and knows how many of them were consumed, however many were handed out
/// ahead. Thread-safe. A handle: copies share the position.
class EpochProgress {
 public:
  /// Begins at `cursor`, or at the first epoch's beginning. kInvalidArgument: an option is out of its range, an epoch
  /// of the listing has no batch for this rank, or CheckCursor() refuses the cursor.
  static Result<EpochProgress> Create(const ListingFingerprint& listing, const EpochOptions& options,
                                      const std::optional<Cursor>& cursor = {}, bool allow_changed_listing = false);

  /// Begins where the run stands: at the next epoch once all batches of the last one were consumed, else at the first
  /// batch that was not, so that a loop which was left early goes on where it was left. What was handed out ahead and
  /// not consumed is handed out once more.
  void BeginEpoch() const;

  /// The samples of the rank's next batch, as indices into the listing; nothing at the end of the epoch.
  [[nodiscard]] std::optional<std::vector<std::size_t>> NextBatch() const;

  /// The first batch that was handed out and not consumed is consumed now. Batches are consumed in the order in which
  /// they are handed out. kInvalidArgument where none is out.
  Result<void> BatchConsumed() const;

  /// Goes on at another cursor, for all copies; what was handed out is forgotten. Errors as those of Create(), after
  /// which nothing has changed.
  Result<void> MoveTo(const Cursor& cursor, bool allow_changed_listing = false) const;

  /// Where the run stands behind the last batch that was consumed; at the end of an epoch the beginning of the next.
  [[nodiscard]] Cursor cursor() const;

  [[nodiscard]] const EpochOptions& options() const;

 private:
  struct Shared;
  explicit EpochProgress(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  std::shared_ptr<Shared> shared_;
};

}  // namespace gcsflux
