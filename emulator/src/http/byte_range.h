#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gcsflux::emulator {

/// What a Range header asks for, given `size` bytes.
struct RangeRequest {
  enum class Kind { kWhole, kPart, kUnsatisfiable };
  Kind kind = Kind::kWhole;
  std::uint64_t offset = 0;  ///< With length: the part, which is within the bytes and not empty.
  std::uint64_t length = 0;
};

/// `bytes=a-b`, `a-` or `-n`. A header that is malformed, has another unit, or names more than one range asks for the
/// whole, as RFC 9110 allows and GCS does.
RangeRequest ParseRange(std::string_view header, std::uint64_t size);

}  // namespace gcsflux::emulator
