#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gcsflux/download.h"
#include "transfer/download/block_pool.h"

namespace gcsflux::internal {

/// Memory by the caller's allocator, or a block of the pool where that is null; none for no bytes. kInvalidArgument
/// where there is none to be had, "no memory for " what().
Result<std::shared_ptr<std::byte[]>> Allocate(const Allocator& allocator, BlockPool& blocks, std::uint64_t bytes,
                                              const std::function<std::string()>& what);

}  // namespace gcsflux::internal
