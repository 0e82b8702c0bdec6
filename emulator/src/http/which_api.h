#pragma once

#include <string>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// Whether a request is for the XML API. Every request is that has none of the emulator's other paths.
bool IsXmlRequest(const HttpRequest& request);

/// The bucket that the request's host names, as in "bucket.storage.googleapis.com"; "" if the path names it.
std::string BucketOfHost(const HttpRequest& request);

}  // namespace gcsflux::emulator
