#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::internal {

/// How far one range of an object is in a file: its first `done_bytes`, which have this CRC32C, are there.
struct PartialRange {
  std::uint64_t done_bytes = 0;
  std::uint32_t crc32c = 0;

  friend bool operator==(const PartialRange&, const PartialRange&) = default;
};

/// What a download that was interrupted leaves behind its bytes, so that the next one goes on. A value.
struct PartialState {
  std::string uri = {};
  std::int64_t generation = 0;
  std::uint64_t size = 0;         ///< Of the object.
  std::uint64_t range_bytes = 0;  ///< Of each range but the last; above 0.
  std::vector<PartialRange> ranges = {};

  [[nodiscard]] std::uint64_t OffsetOf(std::size_t range) const { return range * range_bytes; }
  [[nodiscard]] std::uint64_t LengthOf(std::size_t range) const;
  [[nodiscard]] std::uint64_t DoneBytes() const;
  /// Of the whole object, where every range is done.
  [[nodiscard]] std::uint32_t WholeCrc32c() const;

  friend bool operator==(const PartialState&, const PartialState&) = default;
};

/// Nothing done yet of an object: ranges of `range_bytes` (above 0), or larger ones where there would be more than
/// 1,000 of them, since the state is written again and again.
PartialState StartOf(std::string uri, std::int64_t generation, std::uint64_t size, std::uint64_t range_bytes);

/// As text, sealed by a CRC32C. States of one object and one `range_bytes` are all equally long.
std::string FormatPartialState(const PartialState& state);

/// The state at the end of a file's bytes, of which `tail` holds as many as there are, kMostStateBytes at most. Nothing
/// where there is none, or one that is broken.
std::optional<PartialState> ParsePartialState(std::string_view tail);
constexpr std::size_t kMostStateBytes = 64 << 10;

}  // namespace gcsflux::internal
