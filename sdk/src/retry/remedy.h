#pragma once

#include <string_view>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// What somebody who meets this error on that subject ("gs://bucket/name") can do about it; empty where the message
/// says it already.
std::string_view Remedy(const Error& error, std::string_view subject);

}  // namespace gcsflux::internal
