#pragma once

#include <cstddef>

#include "gcsflux/formats.h"

namespace gcsflux::internal {

/// The largest absolute difference of the parts of two elements. NaN if one of them is not a number.
long double ElementDifference(DType dtype, const std::byte* a, const std::byte* b);

}  // namespace gcsflux::internal
