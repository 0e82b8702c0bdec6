#pragma once

#include <string_view>

namespace gcsflux::internal {

/// Whether it is to name an object; it may be a wrong name.
inline bool IsObjectUri(std::string_view text) { return text.starts_with("gs://") || text.starts_with("gcs://"); }

}  // namespace gcsflux::internal
