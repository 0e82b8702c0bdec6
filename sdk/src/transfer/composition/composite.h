#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "gcsflux/client.h"

namespace gcsflux::internal {

/// A composite that exists in the service, or may exist. No other process uses its name.
struct Composite {
  ObjectName object = {};
  std::optional<std::int64_t> generation = {};  ///< Absent if the compose has not been answered.
};

/// Deletes it. Returns true if it existed. Returns false if it was deleted before, or does not exist yet.
Result<bool> DeleteComposite(const Client& client, const Composite& composite, const CallOptions& call,
                             const std::stop_token& stop);

}  // namespace gcsflux::internal
