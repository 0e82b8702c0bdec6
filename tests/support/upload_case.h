#pragma once

#include <cstddef>
#include <string>

#include "gcsflux/object.h"
#include "gcsflux/result.h"

// Shared by the tests of uploads against FakeGcs.
namespace gcsflux::testing {

constexpr std::size_t kChunk = 256 << 10;
constexpr std::size_t kPart = 5 << 20;  // the minimum size of a part, except for the last
inline const Error kReset{ErrorCode::kUnavailable, "reset"};
inline const ObjectName kObject{"bkt", "o"};

/// Bytes in which no two chunks are equal.
inline std::string Pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
  return bytes;
}

}  // namespace gcsflux::testing
