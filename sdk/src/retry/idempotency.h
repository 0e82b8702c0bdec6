#pragma once

#include <cstdint>
#include <optional>

#include "retry/operation.h"

namespace gcsflux::internal {

/// What in a call's options can keep its repetition from taking effect a second time.
struct Guards {
  std::optional<std::int64_t> generation = {};  ///< The object's own, not that of a source.
  std::optional<std::int64_t> if_generation_match = {};
  std::optional<std::int64_t> if_metageneration_match = {};
};

/// True where sending the request twice leaves what sending it once does, whatever others do in between:
/// https://cloud.google.com/storage/docs/retry-strategy#idempotency-operations
///
/// A negative precondition (..._not_match) still holds after the request's own success, so it makes nothing idempotent;
/// nor does a metageneration make what replaces or deletes the object so: every new generation begins with the same
/// one.
bool IsIdempotent(Operation operation, const Guards& guards);

}  // namespace gcsflux::internal
