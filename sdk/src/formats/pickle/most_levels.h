#pragma once

namespace gcsflux::internal {

/// The deepest nesting of a checkpoint's values. Deeper values are refused, because values are read by recursion.
inline constexpr int kMostLevels = 256;

}  // namespace gcsflux::internal
