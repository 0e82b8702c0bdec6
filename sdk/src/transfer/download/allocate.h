#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gcsflux/download.h"
#include "transfer/download/block_pool.h"

namespace gcsflux::internal {

/// Memory from the caller's allocator, or if that is null from the pool; none for 0 bytes. If there is no memory,
/// returns kInvalidArgument, "no memory for " what().
Result<std::shared_ptr<std::byte[]>> Allocate(const Allocator& allocator, BlockPool& blocks, std::uint64_t bytes,
                                              const std::function<std::string()>& what);

}  // namespace gcsflux::internal
