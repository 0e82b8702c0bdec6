#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gcsflux/formats.h"

namespace gcsflux::internal {

/// A type of safetensors.
struct SafeType {
  std::string_view name = {};
  std::uint64_t bits = 0;           ///< Of one element.
  std::optional<DType> dtype = {};  ///< Absent if PyTorch has no tensors of it.
};

/// Null if safetensors has no such type.
const SafeType* FindSafeType(std::string_view name);
const SafeType* FindSafeType(DType dtype);

constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  ///< The limit of safetensors itself.
constexpr std::string_view kMetadataName = "__metadata__";
constexpr std::string_view kChecksumPrefix = "crc32c:";  ///< In our metadata: "crc32c:NAME" has 8 hexadecimal digits.
constexpr std::string_view kSlicesName = "DCP_SHARDING_INFO";

}  // namespace gcsflux::internal
