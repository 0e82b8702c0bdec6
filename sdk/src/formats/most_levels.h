#pragma once

namespace gcsflux::internal {

/// How deep a checkpoint's values may be nested: what is deeper is refused, since values are read by recursion.
inline constexpr int kMostLevels = 256;

}  // namespace gcsflux::internal
