#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"

namespace gcsflux::internal {

/// What stands against composing in a bucket.
struct BucketCheck {
  /// Composites may not be made or deleted there: composing fails so.
  std::optional<Error> denial = {};
  /// What they would cost there, or why that is not known; empty where nothing stands against them.
  std::string objection = {};
};

/// Of the bucket's settings, "" where there is none. Pure.
std::string ObjectionTo(const BucketMetadata& bucket);

/// Asks the service: two requests. An error where it could not be asked.
Result<BucketCheck> CheckBucket(const Client& client, const std::string& bucket, const CallOptions& call,
                                const std::stop_token& stop);

}  // namespace gcsflux::internal
