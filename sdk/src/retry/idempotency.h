#pragma once

#include <cstdint>
#include <optional>

#include "retry/operation.h"

namespace gcsflux::internal {

/// The options of a call that can prevent a second effect of a retry.
struct Guards {
  std::optional<std::int64_t> generation = {};  ///< The object's own, not a source's.
  std::optional<std::int64_t> if_generation_match = {};
  std::optional<std::int64_t> if_metageneration_match = {};
};

/// True if the operation is repeatable (retry/operation.h) under these guards.
///
/// A negative precondition (..._not_match) still holds after the request has succeeded, so it makes nothing idempotent.
/// A metageneration does not make a replacement or deletion of the object idempotent, because every new generation
/// begins with the same metageneration.
bool IsIdempotent(Operation operation, const Guards& guards);

}  // namespace gcsflux::internal
