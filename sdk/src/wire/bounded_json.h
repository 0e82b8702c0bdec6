#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

// Texts of a service that could take many times their length in memory: "[[[[" takes 64 times.
namespace gcsflux::internal {

/// Whether a JSON text nests at most 64 levels deep and has at most so many values. Costs one pass over the bytes.
bool IsBounded(std::string_view text, std::size_t most_values);

/// Parses a text. Discarded if it is no JSON, or long and not bounded so.
nlohmann::json ParseBounded(std::string_view text, std::size_t most_values);

}  // namespace gcsflux::internal
