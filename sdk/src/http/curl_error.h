#pragma once

#include <curl/curl.h>

#include <string_view>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Translates libcurl's failure of an exchange into an Error. `easy` is the failed handle, not yet reset; `details` is
/// the content of its error buffer. No message contains a time or a number of bytes: the same failure has the same
/// text.
Error CurlError(CURL* easy, CURLcode code, std::string_view details);

/// The error of an exchange that was ended because no byte moved.
Error StandstillError(CURL* easy);

}  // namespace gcsflux::internal
