#pragma once

#include <string>
#include <string_view>

namespace gcsflux::internal {

/// The text as a JSON string, with its quotes. If it is not UTF-8, bytes beyond ASCII become question marks.
std::string JsonText(std::string_view text);

}  // namespace gcsflux::internal
