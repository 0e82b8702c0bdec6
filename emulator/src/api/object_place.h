#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gcsflux::emulator {

/// Where a permission is asked for: a bucket, or one generation of an object in it.
struct ObjectPlace {
  std::string_view bucket = {};                 ///< "" is the project.
  std::string_view object = {};                 ///< "" is the bucket itself.
  std::optional<std::int64_t> generation = {};  ///< If unset, the live one.
};

}  // namespace gcsflux::emulator
