#pragma once

#include <cstddef>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// How much JSON a text may hold. The library parses any depth, but copies and merges by recursion. Without a bound, a
/// text of 260 KB ends the process.
struct JsonBounds {
  std::size_t depth = 100;       ///< Objects and arrays within each other: protobuf's parsers take as many.
  std::size_t values = 100'000;  ///< Values of every kind; names of members do not count.
};

/// For documents of any length.
inline constexpr JsonBounds kOnlyDepth = {.values = std::numeric_limits<std::size_t>::max()};

/// What is too much in the text, such as "it nests deeper than 100 levels". Nothing if all is within the bounds. A zero
/// byte is too much too, since the library takes it for the end. Costs one pass over the bytes. If the text is
/// malformed, only the part before the first error is checked for certain.
std::optional<std::string> FindExcess(std::string_view text, const JsonBounds& bounds = {});

/// The text's value. It is a discarded value if the text is malformed or too much.
nlohmann::json ParseBoundedJson(std::string_view text, const JsonBounds& bounds = {});

/// The beginning of the first number that no type can hold, such as 1e9999; the text's end if there is none. The text
/// up to that number must be well-formed.
std::size_t FindHugeNumber(std::string_view text);

}  // namespace gcsflux::emulator
