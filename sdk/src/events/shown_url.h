#pragma once

#include <string>
#include <string_view>

namespace gcsflux::internal {

/// A URL that may be shown: secret values of query parameters (an upload's session, a signature, a token) are
/// "[secret]". If the whole URL is a credential, only its scheme and host remain.
std::string ShownUrl(std::string_view url, bool is_secret);

}  // namespace gcsflux::internal
