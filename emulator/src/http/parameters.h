#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/api_error.h"
#include "http/target.h"

namespace gcsflux::emulator {

/// 400 if the parameter is there and not a whole number, or occurs twice. An empty one is refused too: a condition or a
/// generation without a value, as a client's mistake makes them, must not be taken for none.
ApiResult<std::optional<std::int64_t>> Int64Parameter(const QueryParameters& query, std::string_view name);

/// False if the parameter is absent or empty. 400 if it is neither "true" nor "false", in any case of letters.
ApiResult<bool> BoolParameter(const QueryParameters& query, std::string_view name);

}  // namespace gcsflux::emulator
