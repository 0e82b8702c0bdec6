#pragma once

#include <cstdint>
#include <optional>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// A request of the JSON API that says in another way what a plain one says, as that plain one; nothing where it is
/// plain itself. `body_size` is what the head announces. The ways:
///
/// X-HTTP-Method-Override on a POST is the method, for clients behind proxies that pass few.
///
/// X-Goog-Upload-Protocol and X-Goog-Upload-Command, as Ruby's and Firebase's clients send them, are an upload of
/// another dialect: "start", "upload", "upload, finalize", "finalize", "query" and "cancel" stand for the requests of a
/// resumable upload, with X-Goog-Upload-Offset in place of Content-Range.
std::optional<HttpRequest> ToPlainRequest(const HttpRequest& request, std::optional<std::uint64_t> body_size);

/// Turns the answer to that plain request into one to `request`, the one that came.
void ToDialectOf(const HttpRequest& request, HttpResponse& response);

}  // namespace gcsflux::emulator
