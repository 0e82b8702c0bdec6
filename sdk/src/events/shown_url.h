#pragma once

#include <string>
#include <string_view>

namespace gcsflux::internal {

/// A URL as it may be shown: values of query parameters that let somebody in (an upload's session, a signature, a
/// token) are "[secret]". Where the whole URL is a credential, only its scheme and host are left.
std::string ShownUrl(std::string_view url, bool is_secret);

}  // namespace gcsflux::internal
