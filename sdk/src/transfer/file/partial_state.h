#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::internal {

/// The progress of one range of an object: its first `done_bytes` are in the file, and have this CRC32C.
struct PartialRange {
  std::uint64_t done_bytes = 0;
  std::uint32_t crc32c = 0;

  friend bool operator==(const PartialRange&, const PartialRange&) = default;
};

/// The state that an interrupted download stores behind its bytes, so that the next one can resume it. A value.
struct PartialState {
  std::string uri = {};
  std::int64_t generation = 0;
  std::uint64_t size = 0;         ///< Of the object.
  std::uint64_t range_bytes = 0;  ///< Of each range except the last; above 0.
  std::vector<PartialRange> ranges = {};

  [[nodiscard]] std::uint64_t OffsetOf(std::size_t range) const { return range * range_bytes; }
  [[nodiscard]] std::uint64_t LengthOf(std::size_t range) const;
  [[nodiscard]] std::uint64_t DoneBytes() const;
  /// Of the whole object, if every range is complete.
  [[nodiscard]] std::uint32_t WholeCrc32c() const;

  friend bool operator==(const PartialState&, const PartialState&) = default;
};

/// The state at the start: ranges of `range_bytes` (above 0). If there would be more than 1,000 ranges, they are
/// larger, because the state is written often.
PartialState StartOf(std::string uri, std::int64_t generation, std::uint64_t size, std::uint64_t range_bytes);

/// The state as text with a CRC32C. All states of one object with one `range_bytes` have the same length.
std::string FormatPartialState(const PartialState& state);

/// The state at the end of a file; `tail` is the end of the file, kMostStateBytes at most. Nothing if there is no
/// state, or it is damaged.
std::optional<PartialState> ParsePartialState(std::string_view tail);
constexpr std::size_t kMostStateBytes = 64 << 10;

}  // namespace gcsflux::internal
