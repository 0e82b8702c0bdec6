#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// `bytes` zeros for `what`. Returns kLocalIo if there is no memory for them: a few bytes of a file can claim a tensor
/// of any size, with strides of 0.
inline Result<std::string> MakeBuffer(std::uint64_t bytes, const std::string& what) {
  try {
    return std::string(static_cast<std::size_t>(bytes), '\0');
  } catch (const std::exception&) {  // bad_alloc, or length_error
    return Error{ErrorCode::kLocalIo, "there is no memory for " + what + ", " + std::to_string(bytes) + " bytes"};
  }
}

}  // namespace gcsflux::internal
