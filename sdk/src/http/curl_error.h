#pragma once

#include <curl/curl.h>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// What libcurl's failure of an exchange means to us. `easy` is the handle that failed, not yet reset.
Error CurlError(CURL* easy, CURLcode code);

}  // namespace gcsflux::internal
