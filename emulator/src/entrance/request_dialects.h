#pragma once

#include <cstdint>
#include <optional>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// Translates a request of the JSON API from another dialect into the plain request that means the same. Nothing if it
/// is plain already. `body_size` is the length that the head announces. The dialects:
///
/// X-HTTP-Method-Override on a POST is the method, for clients behind proxies that pass few methods.
///
/// X-Goog-Upload-Protocol and X-Goog-Upload-Command, which Ruby's and Firebase's clients send: "start", "upload",
/// "upload, finalize", "finalize", "query" and "cancel" stand for the requests of a resumable upload, with
/// X-Goog-Upload-Offset in place of Content-Range.
std::optional<HttpRequest> ToPlainRequest(const HttpRequest& request, std::optional<std::uint64_t> body_size);

/// Whether the body of a plain request may be compressed on its way, as Google's Java client compresses everything but
/// an object's bytes. Where the body is an object's bytes, Content-Encoding is the object's, and they are stored as
/// they come.
bool MayBeCompressed(const HttpRequest& plain);

/// Translates the answer to the plain request into one to `request`, which the client sent.
void ToDialectOf(const HttpRequest& request, HttpResponse& response);

}  // namespace gcsflux::emulator
