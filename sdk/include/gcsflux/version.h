#pragma once

namespace gcsflux {

/// The version of this library. The same as in CMakeLists.txt and CHANGELOG.md.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace gcsflux
