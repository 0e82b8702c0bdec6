#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/api_error.h"
#include "http/target.h"

namespace gcsflux::emulator {

/// 400 where the parameter is there and no whole number; a blank one is none.
ApiResult<std::optional<std::int64_t>> Int64Parameter(const QueryParameters& query, std::string_view name);

/// False where the parameter is absent or blank; 400 where it is neither "true" nor "false", in any case.
ApiResult<bool> BoolParameter(const QueryParameters& query, std::string_view name);

}  // namespace gcsflux::emulator
