#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/process/mutex.h"
#include "gcsflux/epoch.h"

namespace gcsflux {

/// The orders of the epochs that are used now.
struct GivenOrder::Shared {
  struct Epoch {
    std::vector<std::size_t> indices = {};
    std::uint64_t hash = 0;
  };

  std::function<std::vector<std::size_t>(std::uint64_t epoch)> indices_of;
  std::optional<std::size_t> made_for = {};  // The number of samples that it is for, if it is for no other.

  internal::Mutex calling = {};  // Held while the caller's function runs: it is called once for an epoch.
  internal::LeafMutex mutex = {};
  std::map<std::uint64_t, std::shared_ptr<const Epoch>> known GUARDED_BY(mutex) = {};
};

namespace internal {

using GivenEpoch = std::shared_ptr<const GivenOrder::Shared::Epoch>;

/// Makes the order of this epoch of `count` objects known to FindGiven(). Calls the caller's function, so no lock may
/// be held, unless the epoch is known. Returns kInvalidArgument if the function throws, an index is past the end, or
/// the rank has no batch. If the order is not a given one, does nothing.
Result<void> PrepareGiven(const EpochOptions& options, std::uint64_t count, std::uint64_t epoch);

/// The same for an epoch and the two after it, as far as there will be some. If one of those fails, it is not known.
Result<void> PrepareGivenFrom(const EpochOptions& options, std::uint64_t count, std::uint64_t epoch);

/// The order of an epoch that was prepared; null if it was not, or the order is not a given one. Calls no user code.
GivenEpoch FindGiven(const EpochOptions& options, std::uint64_t epoch);

/// How many samples an epoch of `count` objects has. A given order must be prepared.
std::uint64_t SamplesOfEpoch(const EpochOptions& options, std::uint64_t count, std::uint64_t epoch);

/// Cursor::order_hash of a position in an epoch that was prepared.
std::uint64_t OrderHashAt(const EpochOptions& options, std::uint64_t epoch, std::uint64_t consumed);

}  // namespace internal
}  // namespace gcsflux
