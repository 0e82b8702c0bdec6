#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "gcsflux/download.h"
#include "transfer/composition/bucket_permits.h"
#include "transfer/composition/fetch_estimates.h"
#include "transfer/composition/group_chooser.h"
#include "transfer/download/group.h"

namespace gcsflux::internal {

struct PlannerLimits {
  std::uint64_t composite_bytes = 0;
  std::uint64_t range_bytes = 0;
  std::string kms_key_name = {};             ///< As in GroupLimits.
  std::function<std::size_t()> connections;  ///< The present number of connections.
};

/// The data of a plan, and the functions that request more data. All of them return at once.
struct PlanningContext {
  std::function<FetchEstimates::TimePoint()> now;
  std::function<BucketPermits::Permit(const std::string& bucket)> permit;
  std::function<FetchEstimates::Estimate(const std::string& bucket)> estimate;
  std::function<void(const std::string& bucket)> check_soon;  ///< Requests a check, so that `permit` becomes known.
  std::function<void(std::span<const DownloadSource> sources)>
      probe_soon;                   ///< Requests a probe, so that `estimate` becomes known.
  std::function<void()> on_direct;  ///< An object is read directly.
  /// An object is read directly because this Cloud KMS key encrypts it.
  std::function<void(const std::string& bucket, const std::string& key)> on_kms_key;
};

/// Plans the groups of one download that may compose: groups if the bucket's permit and the chooser allow it, otherwise
/// single objects. Used by one thread at a time.
class GroupPlanner {
 public:
  GroupPlanner(PlanningContext context, CompositionMode mode, const PlannerLimits& limits);

  /// The group that begins with source `first`; each group begins where the previous one ended. `rest` is this source
  /// and the known ones behind it; `expected` is the number of further sources.
  GroupPlan Plan(std::size_t first, std::span<const DownloadSource> rest, std::uint64_t expected = 0);

 private:
  [[nodiscard]] bool IsCandidate(const DownloadSource& source) const;
  void Note(std::size_t first, std::span<const DownloadSource> rest);
  std::size_t GroupOf(std::span<const DownloadSource> rest);
  std::size_t ChooseGroup(std::span<const DownloadSource> rest);
  [[nodiscard]] std::size_t MostPerComposite(double mean_bytes) const;
  void Pass(std::span<const DownloadSource> planned);

  const PlanningContext context_;
  const CompositionMode mode_;
  const PlannerLimits limits_;
  GroupChooser chooser_;
  std::size_t known_ = 0;  // Sources before this one are counted.
  // Of the sources that can be composed, are known and are not planned yet:
  std::uint64_t objects_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t expected_ = 0;
};

}  // namespace gcsflux::internal
