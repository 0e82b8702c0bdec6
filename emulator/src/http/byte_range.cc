#include "http/byte_range.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kRangeUnit = "bytes=";

// Digits only. If the number does not fit, it counts as the largest one.
std::optional<std::uint64_t> ParseDigits(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() ? value : std::numeric_limits<std::uint64_t>::max();
}

RangeRequest Part(std::uint64_t first, std::uint64_t end) { return {RangeRequest::Kind::kPart, first, end - first}; }

RangeRequest Suffix(std::uint64_t length, std::uint64_t size) {
  if (length == 0 || size == 0) return {RangeRequest::Kind::kUnsatisfiable};
  return Part(size - std::min(length, size), size);
}

}  // namespace

RangeRequest ParseRange(std::string_view header, std::uint64_t size) {
  constexpr RangeRequest kWhole = {};
  if (!header.starts_with(kRangeUnit)) return kWhole;
  const std::string_view spec = header.substr(kRangeUnit.size());
  const std::size_t dash = spec.find('-');
  if (dash == std::string_view::npos) return kWhole;
  const std::optional<std::uint64_t> first = ParseDigits(spec.substr(0, dash));
  const std::optional<std::uint64_t> last = ParseDigits(spec.substr(dash + 1));
  if (dash == 0) return last ? Suffix(*last, size) : kWhole;
  const bool is_open = dash + 1 == spec.size();
  if (!first || (!last && !is_open) || (last && *last < *first)) return kWhole;
  if (*first >= size) return {RangeRequest::Kind::kUnsatisfiable};
  return Part(*first, is_open || *last >= size ? size : *last + 1);
}

}  // namespace gcsflux::emulator
