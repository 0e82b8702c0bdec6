#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"
#include "wire/metadata_json.h"

namespace gcsflux::internal {

/// What prevents composing in a bucket.
struct BucketCheck {
  /// Composites may not be made or deleted there; composing fails with this error.
  std::optional<Error> denial = {};
  /// What composites would cost there, or why the cost is unknown. Empty if nothing speaks against them.
  std::string objection = {};
};

/// The objection that follows from the bucket's settings; "" if there is none. Pure.
std::string ObjectionTo(const BucketMetadata& bucket, const NewObjectRules& rules = {});

struct BucketCheckOptions {
  bool names_key = false;  ///< The caller has chosen the key of composites: a default key does not matter.
  CallOptions call = {};
  std::stop_token stop = {};
};
/// Asks the service: four requests at most, mostly at the same time. Returns an error if the service cannot be asked.
Result<BucketCheck> CheckBucket(const Client& client, const std::string& bucket, const BucketCheckOptions& options);

}  // namespace gcsflux::internal
