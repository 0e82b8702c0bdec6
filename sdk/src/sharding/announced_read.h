#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sharding/sharded_checkpoints.h"

namespace gcsflux::internal {

/// What each rank tells the others before they read together.
struct AnnouncedRead {
  /// What is read, for messages: "the load of step 5 of gs://bucket/run/". The same on all ranks.
  std::string call = {};
  /// The same on all ranks, because ranks that share reads wait for each other.
  bool reads_once_per_host = false;
  std::vector<std::string> problems = {};  ///< Why this rank's parts cannot be loaded.
  std::optional<Error> refusal = {};       ///< Why this rank does not take part. Then only `call` is used.
};

/// Returns when all ranks have called it. If their calls differ, a rank refuses, or one has problems, returns the same
/// error on all ranks; the group can still be used. The error lists each problem once.
Result<void> AgreeOnRead(MessageGroup& group, const CollectiveLimits& limits, const AnnouncedRead& own);

}  // namespace gcsflux::internal
