#pragma once

#include <string_view>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// What a user can do about this error on that subject ("gs://bucket/name"). Empty if the message already tells it.
/// `was_ambiguous`: an earlier attempt of the call may have taken effect, although it failed.
std::string_view Remedy(const Error& error, std::string_view subject, bool was_ambiguous = false);

}  // namespace gcsflux::internal
