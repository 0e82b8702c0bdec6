#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "transfer/composition/composer.h"
#include "transfer/download/direct_fetch.h"
#include "transfer/download/group.h"

namespace gcsflux::internal {

/// Fetches a group through a composite. If that fails, fetches each object directly, so that an error names the object.
class ComposedFetch : public GroupFetch {
 public:
  /// The arguments must outlive it.
  ComposedFetch(Composer& composer, const DirectReads& reads, std::span<const DownloadSource> sources,
                std::span<Destination> destinations)
      : composer_(composer), reads_(reads), sources_(sources), destinations_(destinations) {}

  Result<void> FetchRange(std::size_t range, const std::stop_token& stop) override;
  GroupOutcome Finish(const std::stop_token&) override { return {.errors = std::move(errors_)}; }

 private:
  Result<void> FetchDirectly(const std::stop_token& stop);

  Composer& composer_;
  const DirectReads& reads_;
  const std::span<const DownloadSource> sources_;
  const std::span<Destination> destinations_;
  std::vector<std::optional<Error>> errors_;  // Empty if none failed.
};

}  // namespace gcsflux::internal
