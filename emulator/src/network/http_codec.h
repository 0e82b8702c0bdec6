#pragma once

#include <string_view>

#include "http/http_message.h"
#include "network/socket_stream.h"

namespace gcsflux::emulator {

/// Answers the request whose head was just read from `stream`, by HTTP/1.1. Returns what happens to the connection:
/// another request may follow only after kInOrder. If memory runs out, the answer is 503, or, if it has begun, the
/// connection is lost.
Ending AnswerRequest(std::string_view head, SocketStream& stream, RequestHandler& handler);

/// Answers a request whose head could not be read, for the given reason. Nothing may follow on the stream.
void RefuseHead(SocketStream::HeadOutcome why, SocketStream& stream);

}  // namespace gcsflux::emulator
