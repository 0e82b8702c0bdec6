#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

namespace gcsflux::internal {

/// Parses a service's text. Discarded if it is no JSON, nests deeper than 64 levels, or has more values than that: in
/// memory, "[[[[" takes 64 times its length.
nlohmann::json ParseBounded(std::string_view text, std::size_t most_values);

}  // namespace gcsflux::internal
