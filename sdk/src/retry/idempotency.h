#pragma once

#include <cstdint>
#include <optional>

#include "gcsflux/operation_options.h"
#include "retry/operation.h"

namespace gcsflux::internal {

/// True if the operation is repeatable (retry/operation.h) under these preconditions, or with the generation that it
/// names: the object's own, not a source's.
///
/// A negative precondition (..._not_match) still holds after the request has succeeded, so it makes nothing idempotent.
/// A metageneration does not make a replacement or deletion of the object idempotent, because every new generation
/// begins with the same metageneration.
bool IsIdempotent(Operation operation, const Preconditions& preconditions,
                  const std::optional<std::int64_t>& generation = {});

}  // namespace gcsflux::internal
