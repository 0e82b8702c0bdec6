#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// The fields of a tar header that matter here.
struct TarHeader {
  std::string name = {};  ///< With the prefix of ustar.
  char type = '0';
  std::uint64_t size = 0;
};

/// Reads a block that is not all zeros. Returns kUndecodable with the reason alone.
Result<TarHeader> ReadTarHeader(std::span<const std::byte> block);

/// The headers of a regular file, a multiple of kTarBlock bytes: ustar if it can tell name and size, otherwise pax. The
/// same arguments give the same bytes. The name is not empty, and has no zero byte.
std::string WriteTarHeader(const std::string& name, std::uint64_t size, std::int64_t seconds_since_1970);

}  // namespace gcsflux::internal
