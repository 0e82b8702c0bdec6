#pragma once

#include <array>
#include <cstddef>

#include "store/rope.h"

namespace gcsflux::emulator {

using Md5Digest = std::array<std::byte, 16>;

/// About 1 s per GB: four times slower than a loopback connection.
Md5Digest ComputeMd5(const Rope& bytes);

}  // namespace gcsflux::emulator
