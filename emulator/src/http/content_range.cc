#include "http/content_range.h"

#include <charconv>

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kContentUnit = "bytes ";

std::optional<std::uint64_t> ParseNumber(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<ContentRange::Bytes> ParseBytes(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> first = ParseNumber(text.substr(0, dash));
  if (!first) return std::nullopt;
  if (text.substr(dash + 1) == "*") return ContentRange::Bytes{*first};
  const std::optional<std::uint64_t> last = ParseNumber(text.substr(dash + 1));
  if (!last || *last < *first) return std::nullopt;
  return ContentRange::Bytes{*first, *last};
}

}  // namespace

std::optional<ContentRange> ParseContentRange(std::string_view header) {
  if (!header.starts_with(kContentUnit)) return std::nullopt;
  header.remove_prefix(kContentUnit.size());
  const std::size_t slash = header.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view bytes = header.substr(0, slash);
  const std::string_view total = header.substr(slash + 1);
  ContentRange range;
  if (bytes != "*" && !(range.bytes = ParseBytes(bytes))) return std::nullopt;
  if (total != "*" && !(range.total = ParseNumber(total))) return std::nullopt;
  const bool is_within = !range.bytes || !range.total ||
                         (range.bytes->last ? *range.bytes->last < *range.total : range.bytes->first <= *range.total);
  return is_within ? std::optional(range) : std::nullopt;
}

}  // namespace gcsflux::emulator
