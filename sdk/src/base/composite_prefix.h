#pragma once

#include <string_view>

namespace gcsflux::internal {

/// The prefix of composites in every bucket. The connector for PyTorch uses it too, and existing tools know it.
inline constexpr std::string_view kCompositePrefix = "dataflux-composed-objects/";

/// The prefix of an ObjectWriter's uncommitted objects in every bucket.
inline constexpr std::string_view kUploadPrefix = "gcsflux-uploads/";

}  // namespace gcsflux::internal
