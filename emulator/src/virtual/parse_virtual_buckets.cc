#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "gcsflux/emulator/virtual_bucket.h"
#include "virtual/virtual_objects.h"

namespace gcsflux::emulator {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 4> kUnits = {
    {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}}};

[[noreturn]] void Refuse(std::string_view entry, const std::string& what) {
  throw std::invalid_argument("virtual bucket '" + std::string(entry) + "': " + what);
}

template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> ParseBytes(std::string_view text) {
  int shift = 0;
  for (const auto& [unit, unit_shift] : kUnits) {
    if (!text.ends_with(unit)) continue;
    shift = unit_shift;
    text.remove_suffix(unit.size());
  }
  const auto number = ParseNumber<std::uint64_t>(text);
  if (!number || *number > kMaxVirtualObjectBytes >> shift) return std::nullopt;
  return *number << shift;
}

// The parts between separators that are outside of brackets.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth != 0 || text[i] != separator) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

void ParseSize(std::string_view entry, std::string_view text, VirtualBucket& bucket) {
  constexpr std::string_view kLogNormal = "lognormal(";
  std::optional<double> sigma = 0.0;
  std::string_view median = text;
  if (text.starts_with(kLogNormal) && text.ends_with(')')) {
    const auto inside = Split(text.substr(kLogNormal.size(), text.size() - kLogNormal.size() - 1), ',');
    median = inside[0];
    sigma = inside.size() == 2 ? ParseNumber<double>(inside[1]) : std::nullopt;
  }
  const std::optional<std::uint64_t> bytes = ParseBytes(median);
  if (!bytes || !sigma) {
    Refuse(entry, "size: '" + std::string(text) +
                      "' is neither bytes up to 5 TiB, such as 102400 or 100KiB, nor lognormal(MEDIAN,SIGMA)");
  }
  bucket.size_bytes = *bytes;
  bucket.size_sigma = *sigma;
}

std::uint64_t ParseWhole(std::string_view entry, const char* field, std::string_view text) {
  const auto number = ParseNumber<std::uint64_t>(text);
  if (!number) Refuse(entry, std::string(field) + ": '" + std::string(text) + "' is not a whole number");
  return *number;
}

VirtualBucket ParseEntry(std::string_view entry) {
  const std::vector<std::string_view> fields = Split(entry, ':');
  if (fields.size() < 4 || fields.size() > 5) Refuse(entry, "it is not name:count:size:pattern[:seed]");
  VirtualBucket bucket{.name = std::string(fields[0])};
  bucket.count = ParseWhole(entry, "count", fields[1]);
  ParseSize(entry, fields[2], bucket);
  if (fields[3].size() != 1) Refuse(entry, "pattern: '" + std::string(fields[3]) + "' is not a letter from a to h");
  bucket.pattern = static_cast<NamePattern>(fields[3].front());
  if (fields.size() == 5) bucket.seed = ParseWhole(entry, "seed", fields[4]);
  return bucket;
}

}  // namespace

std::vector<VirtualBucket> ParseVirtualBuckets(std::string_view text) {
  std::vector<VirtualBucket> buckets;
  if (text.empty()) return buckets;
  for (const std::string_view entry : Split(text, ',')) buckets.push_back(ParseEntry(entry));
  CheckVirtualBuckets(buckets);
  return buckets;
}

}  // namespace gcsflux::emulator
