#pragma once

#include <functional>

#include "campaign/case.h"

namespace gcsflux::campaign {

/// The case with the fewest steps and rules that Shrink() finds. `c` must fail.
Case ShrinkCase(const Case& c, const std::function<bool(const Case&)>& fails, const std::function<bool()>& is_stopped);

}  // namespace gcsflux::campaign
