#pragma once

namespace gcsflux::internal {

/// As in CMakeLists.txt and CHANGELOG.md.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace gcsflux::internal
