#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::soak {

/// What an object holds, as the recipe of its bytes: seeds are never used twice, so that a byte of another object, or
/// of another version or place of the same, is noticed.
struct Content {
  struct Piece {
    std::uint64_t seed = 0;
    std::size_t size = 0;

    friend bool operator==(const Piece&, const Piece&) = default;
  };
  std::vector<Piece> pieces = {};

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::string Render() const;
  /// Puts another's bytes behind these.
  void Append(const Content& more);

  friend bool operator==(const Content&, const Content&) = default;
};

/// Where two contents differ first, in words.
std::string DescribeDifference(std::string_view found, std::string_view wanted);

}  // namespace gcsflux::soak
