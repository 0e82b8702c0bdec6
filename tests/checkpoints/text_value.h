#pragma once

#include <string>
#include <utility>

#include "formats/pickle/pickled_value.h"

namespace gcsflux::testing {

inline pickled::Value Text(std::string text) { return {.any = std::move(text)}; }

}  // namespace gcsflux::testing
