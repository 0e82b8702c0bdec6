#pragma once

#include <curl/curl.h>

#include <string_view>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// What libcurl's failure of an exchange means to us. `easy` is the handle that failed, not yet reset; `details` is
/// what its error buffer says. No message holds a time or a number of bytes: the same failure reads the same.
Error CurlError(CURL* easy, CURLcode code, std::string_view details);

/// That of an exchange which was given up because nothing moved.
Error StandstillError(CURL* easy);

}  // namespace gcsflux::internal
