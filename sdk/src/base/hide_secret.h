#pragma once

#include <string>
#include <string_view>

namespace gcsflux::internal {

/// Puts "[secret]" wherever `secret` stands in a text that is to be shown: as it is, percent-encoded or escaped as JSON
/// does, in whole or in part. One of fewer than 8 bytes stays: it guards nothing, and would be found in any text.
void HideSecret(std::string& text, std::string_view secret);

}  // namespace gcsflux::internal
