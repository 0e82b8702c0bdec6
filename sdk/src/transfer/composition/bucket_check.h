#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"

namespace gcsflux::internal {

/// What prevents composing in a bucket.
struct BucketCheck {
  /// Composites may not be made or deleted there; composing fails with this error.
  std::optional<Error> denial = {};
  /// What composites would cost there, or why the cost is unknown. Empty if nothing speaks against them.
  std::string objection = {};
};

/// The objection that follows from the bucket's settings; "" if there is none. Pure.
std::string ObjectionTo(const BucketMetadata& bucket);

/// Asks the service: two requests. Returns an error if the service cannot be asked.
Result<BucketCheck> CheckBucket(const Client& client, const std::string& bucket, const CallOptions& call,
                                const std::stop_token& stop);

}  // namespace gcsflux::internal
