#pragma once

#include <string_view>

#include "http/http_message.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

/// Whether an Accept-Encoding header accepts gzip.
bool AcceptsGzip(std::string_view accept_encoding);

/// Whether the bytes begin like gzip.
bool IsGzip(const Rope& bytes);

/// Delivers the content of the gzip members in `bytes`. Returns false if they are corrupt, or if the sink returns
/// false.
bool Gunzip(const Rope& bytes, const ResponseSink& sink);

}  // namespace gcsflux::emulator
