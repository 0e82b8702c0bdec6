#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::campaign {

/// The content of an object, as the recipe of its bytes: seeds are never reused, so that a byte of another object,
/// version or place is detected.
struct Content {
  struct Piece {
    std::uint64_t seed = 0;
    std::size_t size = 0;

    friend bool operator==(const Piece&, const Piece&) = default;
  };
  std::vector<Piece> pieces = {};

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::string Render() const;
  /// Appends another's bytes.
  void Append(const Content& more);

  friend bool operator==(const Content&, const Content&) = default;
};

/// Where two contents first differ, in words.
std::string DescribeDifference(std::string_view found, std::string_view wanted);

}  // namespace gcsflux::campaign
