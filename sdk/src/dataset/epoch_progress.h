#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "gcsflux/epoch.h"

namespace gcsflux::internal {

/// Hands out the batches of one epoch after the other, and counts how many were consumed. More batches can be handed
/// out than consumed. Thread-safe. A handle: copies share the position.
class EpochProgress {
 public:
  EpochProgress(const EpochProgress&) = default;  // A move copies, so that it leaves a handle that works.
  EpochProgress& operator=(const EpochProgress&) = default;

  /// Begins at `cursor`, or at the beginning of the first epoch. Returns kInvalidArgument if an option is out of its
  /// range, an epoch of the listing has no batch for this rank, or CheckCursor() refuses the cursor.
  static Result<EpochProgress> Create(const ListingFingerprint& listing, const EpochOptions& options,
                                      const std::optional<Cursor>& cursor = {}, bool allow_changed_listing = false);

  /// Begins at the position of the run. If all batches of the last epoch were consumed, that is the next epoch.
  /// Otherwise it is the first batch that was not consumed: a loop that ended early continues there. Batches that were
  /// handed out but not consumed are handed out again. Returns the errors of a given order, and changes nothing then.
  Result<void> BeginEpoch() const;

  /// The samples of the rank's next batch, as indices into the listing. Nothing at the end of the epoch.
  [[nodiscard]] std::optional<std::vector<std::size_t>> NextBatch() const;

  /// Marks the first batch that is handed out and not consumed as consumed. Batches are consumed in the order in which
  /// they are handed out. Returns kInvalidArgument if there is no such batch.
  Result<void> BatchConsumed() const;

  /// Continues at another cursor, for all copies, and forgets the batches that were handed out. The errors are those of
  /// Create(); an error changes nothing.
  Result<void> MoveTo(const Cursor& cursor, bool allow_changed_listing = false) const;

  /// The position behind the last batch that was consumed; at the end of an epoch the beginning of the next one.
  [[nodiscard]] Cursor cursor() const;

  [[nodiscard]] const EpochOptions& options() const;

 private:
  struct Shared;
  explicit EpochProgress(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  std::shared_ptr<Shared> shared_;
};

}  // namespace gcsflux::internal
