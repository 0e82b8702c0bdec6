#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "gcsflux/client.h"

namespace gcsflux::internal {

/// A composite that is in the service, or may be: its name is nobody else's.
struct Composite {
  ObjectName object = {};
  std::optional<std::int64_t> generation = {};  ///< Unset while the compose has not been answered, or never was.
};

/// Deletes it. True where it was there, false where it was not: deleted before, or not there yet.
Result<bool> DeleteComposite(const Client& client, const Composite& composite, const CallOptions& call,
                             const std::stop_token& stop);

}  // namespace gcsflux::internal
