#pragma once

#include <string_view>

#include "http/http_message.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

/// Whether an Accept-Encoding header takes gzip.
bool AcceptsGzip(std::string_view accept_encoding);

/// Whether the bytes begin as gzip does.
bool IsGzip(const Rope& bytes);

/// Delivers what the gzip members in `bytes` hold. False where they are corrupt, or the sink says so.
bool Gunzip(const Rope& bytes, const ResponseSink& sink);

}  // namespace gcsflux::emulator
