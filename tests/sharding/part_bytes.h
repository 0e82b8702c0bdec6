#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sharding/sharded_checkpoints.h"

namespace gcsflux::testing {

using PartBytes = std::vector<std::byte>;

/// The bytes of a part: each element's value tells its tensor and its place in the whole.
inline PartBytes BytesOf(const TensorPart& part) {
  const std::size_t element = ElementBytes(part.dtype);
  const std::vector<std::int64_t>& own = part.OwnShape();
  const auto strides = ContiguousStrides(part.shape);
  PartBytes bytes;
  std::vector<std::int64_t> at(own.size(), 0);
  for (std::uint64_t left = *ElementCount(own); left > 0; --left) {
    std::uint64_t place = std::hash<std::string>()(part.name) * 31;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::int64_t offset = part.offsets.empty() ? 0 : part.offsets[i];
      place += static_cast<std::uint64_t>((offset + at[i]) * strides[i]);
    }
    for (std::size_t i = 0; i < element; ++i) bytes.push_back(static_cast<std::byte>((place * 2654435761U) >> (8 * i)));
    for (std::size_t i = at.size(); i-- > 0;) {
      if (++at[i] < own[i]) break;
      at[i] = 0;
    }
  }
  return bytes;
}

/// Parts with memory of their own.
struct OwnedParts {
  std::vector<TensorPart> parts = {};
  std::vector<PartBytes> bytes = {};

  static OwnedParts Filled(const std::vector<TensorPart>& of) {
    OwnedParts owned{.parts = of};
    for (const TensorPart& part : of) owned.bytes.push_back(BytesOf(part));
    return owned;
  }
  static OwnedParts Empty(const std::vector<TensorPart>& of) {
    OwnedParts owned{.parts = of};
    for (const TensorPart& part : of) {
      owned.bytes.emplace_back(*ElementCount(part.OwnShape()) * ElementBytes(part.dtype), std::byte{0xEE});
    }
    return owned;
  }
  [[nodiscard]] std::vector<PartToSave> ToSave() const {
    std::vector<PartToSave> all;
    for (std::size_t i = 0; i < parts.size(); ++i) all.push_back({parts[i], bytes[i]});
    return all;
  }
  [[nodiscard]] std::vector<PartToLoad> ToLoad() {
    std::vector<PartToLoad> all;
    for (std::size_t i = 0; i < parts.size(); ++i) all.push_back({parts[i], bytes[i]});
    return all;
  }
};

}  // namespace gcsflux::testing
