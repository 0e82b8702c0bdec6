#pragma once

#include <string_view>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// What somebody who meets this error on that subject ("gs://bucket/name") can do about it; empty where the message
/// says it already. `was_ambiguous`: an earlier attempt of the call may have taken effect, though it failed.
std::string_view Remedy(const Error& error, std::string_view subject, bool was_ambiguous = false);

}  // namespace gcsflux::internal
