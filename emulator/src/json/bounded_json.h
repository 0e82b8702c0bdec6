#pragma once

#include <cstddef>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// How much JSON a text may hold. The library parses any depth, but copies and merges by recursion: without a bound,
/// a text of 260 KB ends the process.
struct JsonBounds {
  std::size_t depth = 100;       ///< Of objects and arrays within each other: what protobuf's parsers take.
  std::size_t values = 100'000;  ///< Of every kind, members' names left aside.
};

/// Of documents that may have any length.
inline constexpr JsonBounds kOnlyDepth = {.values = std::numeric_limits<std::size_t>::max()};

/// What is too much in the text, as in "it nests deeper than 100 levels"; nothing where all is within its bounds. A
/// zero byte is too much too: the library takes it for the end. Costs one pass over the bytes. Of malformed text only
/// the part before the first error counts for sure.
std::optional<std::string> FindExcess(std::string_view text, const JsonBounds& bounds = {});

/// The text's value; a discarded one where it is malformed or too much.
nlohmann::json ParseBoundedJson(std::string_view text, const JsonBounds& bounds = {});

/// Where the first number begins that is beyond all bounds, such as 1e9999; the text's end where there is none. Up to
/// that number the text must be well-formed.
std::size_t FindHugeNumber(std::string_view text);

}  // namespace gcsflux::emulator
