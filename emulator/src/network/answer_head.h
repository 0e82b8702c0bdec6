#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "http/api_error.h"
#include "http/http_message.h"

namespace gcsflux::emulator {

/// The head of an answer, as bytes. Without `size`, the body has no Content-Length.
std::string RenderHead(const HttpResponse& response, std::optional<std::uint64_t> size);

/// A complete answer, as bytes, to something that never became a request. The connection is closed after it.
std::string RenderRefusal(const ApiError& error);

}  // namespace gcsflux::emulator
