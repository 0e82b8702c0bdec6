#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace gcsflux::conformance {

/// A value, or one sentence for people that says why there is none. This program distinguishes failures no further.
template <class T>
using OrError = tl::expected<T, std::string>;

inline tl::unexpected<std::string> Failed(std::string why) { return tl::unexpected<std::string>(std::move(why)); }

}  // namespace gcsflux::conformance
