#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gcsflux/object.h"

namespace gcsflux::internal {

/// A sample of a shard whose bytes have been read.
struct HeldSample {
  ListedObject listed = {};  ///< Named SHARD/KEY.
  std::shared_ptr<std::byte[]> memory = {};
  std::size_t bytes = 0;
  std::size_t index = 0;  ///< The same in each epoch: for SampleContext.
};

}  // namespace gcsflux::internal
