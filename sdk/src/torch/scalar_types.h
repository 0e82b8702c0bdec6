#pragma once

#include <c10/core/ScalarType.h>

#include <optional>

#include "gcsflux/formats.h"

namespace gcsflux {

/// Returns nothing if libtorch has no tensors of this type.
std::optional<c10::ScalarType> ScalarTypeOf(DType dtype);
/// Returns nothing for quantised types.
std::optional<DType> DTypeOf(c10::ScalarType type);

}  // namespace gcsflux
