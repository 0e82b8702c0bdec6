#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "transfer/composition/composer.h"
#include "transfer/composition/group_chooser.h"
#include "transfer/download/direct_fetch.h"
#include "transfer/download/unit.h"

namespace gcsflux::internal {

struct UnitLimits {
  std::uint64_t composite_bytes = 0;
  std::uint64_t stripe_bytes = 0;
};

/// Plans the units of one download that may compose: groups where the chooser and the bucket's permit say so, else
/// single objects.
class UnitPlanner {
 public:
  /// What is passed outlives it.
  UnitPlanner(Composer& composer, std::span<const DownloadSource> sources, const UnitLimits& limits);

  UnitPlan Plan(std::size_t first);

 private:
  std::size_t GroupAt(std::size_t first);
  std::size_t ChooseGroup(std::span<const DownloadSource> rest);
  void Pass(std::span<const DownloadSource> planned);

  Composer& composer_;
  const std::span<const DownloadSource> sources_;
  const UnitLimits limits_;
  GroupChooser chooser_;
  // Of what can be composed, and was not planned yet:
  std::uint64_t objects_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Fetches a group through a composite; where that fails, each of its objects by itself, so that an error names the
/// object.
class ComposedFetch : public UnitFetch {
 public:
  /// All of them outlive it.
  ComposedFetch(Composer& composer, const DirectReads& reads, std::span<const DownloadSource> sources,
                std::span<const Destination> destinations)
      : composer_(composer), reads_(reads), sources_(sources), destinations_(destinations) {}

  Result<void> FetchPiece(std::size_t piece, const std::stop_token& stop) override;
  UnitOutcome Finish(const std::stop_token&) override { return {.errors = std::move(errors_)}; }

 private:
  Result<void> FetchDirectly(const std::stop_token& stop);

  Composer& composer_;
  const DirectReads& reads_;
  const std::span<const DownloadSource> sources_;
  const std::span<const Destination> destinations_;
  std::vector<std::optional<Error>> errors_;
};

}  // namespace gcsflux::internal
