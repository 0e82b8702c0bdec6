#include "transfer/file/partial_state.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "base/crc32c.h"

namespace gcsflux::internal {
namespace {

// A state is lines of a word and numbers of fixed width, then one that seals them:
//   gcsflux-partial-download 1
//   <URI's length> <URI>
//   <generation> <size> <range_bytes> <ranges>
//   <done_bytes> <crc32c>     for each range
//   end <bytes before this line> <crc32c of them>
constexpr std::string_view kFirstLine = "gcsflux-partial-download 1\n";
constexpr std::uint64_t kMostRanges = 1'000;
constexpr std::size_t kDigits = 16;
constexpr std::size_t kSealBytes = 4 + kDigits + 1 + kDigits + 1;

std::uint32_t Crc32cOf(std::string_view text) { return ExtendCrc32c(0, std::as_bytes(std::span(text))); }

// In hexadecimal digits, so that all have the same length.
void Append(std::string& text, std::uint64_t number, char behind) {
  std::array<char, kDigits> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  const auto count = static_cast<std::size_t>(end - digits.data());
  text.append(kDigits - count, '0').append(digits.data(), count) += behind;
}

// Removes what Append() wrote from the front. Nothing if it is something else.
std::optional<std::uint64_t> Take(std::string_view& text, char behind) {
  if (text.size() <= kDigits || text[kDigits] != behind) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + kDigits, number, 16);
  if (error != std::errc() || end != text.data() + kDigits) return std::nullopt;
  text.remove_prefix(kDigits + 1);
  return number;
}

bool TakeText(std::string_view& text, std::string_view wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(wanted.size());
  return true;
}

// The sealed lines at the end of `tail`, or nothing.
std::optional<std::string_view> Unseal(std::string_view tail) {
  if (tail.size() < kSealBytes) return std::nullopt;
  std::string_view seal = tail.substr(tail.size() - kSealBytes);
  tail.remove_suffix(kSealBytes);
  if (!TakeText(seal, "end ")) return std::nullopt;
  const auto length = Take(seal, ' ');
  const auto crc32c = Take(seal, '\n');
  if (!length || !crc32c || *length > tail.size()) return std::nullopt;
  const std::string_view lines = tail.substr(tail.size() - static_cast<std::size_t>(*length));
  return Crc32cOf(lines) == *crc32c ? std::optional(lines) : std::nullopt;
}

bool TakeRanges(std::string_view& lines, PartialState& state) {
  for (std::size_t i = 0; i < state.ranges.size(); ++i) {
    const auto done = Take(lines, ' ');
    const auto crc32c = Take(lines, '\n');
    if (!done || !crc32c || *done > state.LengthOf(i)) return false;
    state.ranges[i] = {*done, static_cast<std::uint32_t>(*crc32c)};
  }
  return true;
}

}  // namespace

std::uint64_t PartialState::LengthOf(std::size_t range) const {
  return std::min(range_bytes, size - std::min(size, OffsetOf(range)));
}

std::uint64_t PartialState::DoneBytes() const {
  std::uint64_t done = 0;
  for (const PartialRange& range : ranges) done += range.done_bytes;
  return done;
}

std::uint32_t PartialState::WholeCrc32c() const {
  std::uint32_t whole = 0;
  for (const PartialRange& range : ranges) whole = CombineCrc32c(whole, range.crc32c, range.done_bytes);
  return whole;
}

PartialState StartOf(std::string uri, std::int64_t generation, std::uint64_t size, std::uint64_t range_bytes) {
  const std::uint64_t needed = size / kMostRanges + 1;
  const std::uint64_t bytes = std::max({std::uint64_t{1}, range_bytes, needed});
  const std::uint64_t count = size / bytes + (size % bytes == 0 ? 0 : 1);
  return {.uri = std::move(uri),
          .generation = generation,
          .size = size,
          .range_bytes = bytes,
          .ranges = std::vector<PartialRange>(static_cast<std::size_t>(count))};
}

std::string FormatPartialState(const PartialState& state) {
  std::string text(kFirstLine);
  Append(text, state.uri.size(), ' ');
  text += state.uri + '\n';
  Append(text, static_cast<std::uint64_t>(state.generation), ' ');
  Append(text, state.size, ' ');
  Append(text, state.range_bytes, ' ');
  Append(text, state.ranges.size(), '\n');
  for (const PartialRange& range : state.ranges) {
    Append(text, range.done_bytes, ' ');
    Append(text, range.crc32c, '\n');
  }
  const std::uint64_t length = text.size();
  const std::uint32_t crc32c = Crc32cOf(text);
  text += "end ";
  Append(text, length, ' ');
  Append(text, crc32c, '\n');
  return text;
}

std::optional<PartialState> ParsePartialState(std::string_view tail) {
  auto lines = Unseal(tail);
  if (!lines || !TakeText(*lines, kFirstLine)) return std::nullopt;
  const auto uri_bytes = Take(*lines, ' ');
  if (!uri_bytes || *uri_bytes > lines->size()) return std::nullopt;
  const std::string_view uri = lines->substr(0, static_cast<std::size_t>(*uri_bytes));
  lines->remove_prefix(uri.size());
  if (!TakeText(*lines, "\n")) return std::nullopt;
  const auto generation = Take(*lines, ' ');
  const auto size = Take(*lines, ' ');
  const auto range_bytes = Take(*lines, ' ');
  const auto count = Take(*lines, '\n');
  if (!generation || !size || !range_bytes || !count || *range_bytes == 0) return std::nullopt;
  PartialState state = StartOf(std::string(uri), static_cast<std::int64_t>(*generation), *size, *range_bytes);
  if (state.range_bytes != *range_bytes || state.ranges.size() != *count || !TakeRanges(*lines, state)) {
    return std::nullopt;
  }
  return lines->empty() ? std::optional(std::move(state)) : std::nullopt;
}

}  // namespace gcsflux::internal
