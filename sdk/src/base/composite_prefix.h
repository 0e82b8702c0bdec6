#pragma once

#include <string_view>

namespace gcsflux::internal {

/// Where composites are kept, in every bucket: the connector for PyTorch keeps its own there too, and tools that people
/// have know it.
inline constexpr std::string_view kCompositePrefix = "dataflux-composed-objects/";

/// Where a ParallelWriter keeps what is not yet committed, in every bucket.
inline constexpr std::string_view kUploadPrefix = "gcsflux-uploads/";

}  // namespace gcsflux::internal
