#pragma once

#include <string_view>

namespace gcsflux::internal {

/// Whether the text is meant to name an object; the name may be invalid.
inline bool IsObjectUri(std::string_view text) { return text.starts_with("gs://") || text.starts_with("gcs://"); }

}  // namespace gcsflux::internal
