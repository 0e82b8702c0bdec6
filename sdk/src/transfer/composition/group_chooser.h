#pragma once

#include <cstddef>

#include "gcsflux/download.h"
#include "transfer/composition/cost_model.h"
#include "transfer/composition/fetch_estimates.h"

namespace gcsflux::internal {

/// Decides, for one download, how many of the next objects are fetched together. It uses the measured durations and the
/// remaining work. A choice holds for as many groups as there are connections, so that a few objects are divided among
/// all of them. Pure: it knows only the times that it is given. Used by one thread at a time.
class GroupChooser {
 public:
  struct Choice {
    std::size_t group = 1;  ///< 1 means directly.
    /// Composing would be better if a compose were faster than measured, or were measured at all.
    bool wants_probe = false;
  };

  explicit GroupChooser(CompositionMode mode) : mode_(mode) {}

  /// True if the last choice still holds: TakeTurn() returns it.
  [[nodiscard]] bool has_turns() const { return turns_ > 0; }
  std::size_t TakeTurn() { return --turns_, group_; }

  /// `most` is how many objects fit into a composite, at least 2.
  Choice Choose(const RemainingWork& work, std::size_t most, const FetchEstimates::Estimate& estimate,
                FetchEstimates::TimePoint now);

 private:
  std::size_t Begin(std::size_t group, std::size_t connections);

  CompositionMode mode_;
  std::size_t group_ = 1;
  std::size_t turns_ = 0;
};

}  // namespace gcsflux::internal
