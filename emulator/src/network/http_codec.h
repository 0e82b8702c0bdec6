#pragma once

#include <memory>
#include <string_view>

#include "http/http_message.h"
#include "network/socket_stream.h"

namespace gcsflux::emulator {

/// HTTP/1.1 between a socket and a RequestHandler, by cpp-httplib. No other file includes httplib. Thread-safe.
class HttpCodec {
 public:
  explicit HttpCodec(RequestHandler& handler);
  ~HttpCodec();

  /// Answers the request whose head was just read from `stream`. Returns what happens to the connection: another
  /// request may follow only after kInOrder.
  Ending Answer(std::string_view head, SocketStream& stream);
  /// Answers a request whose head could not be read, for the given reason. Nothing may follow on the stream.
  static void RefuseHead(SocketStream::HeadOutcome why, SocketStream& stream);

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace gcsflux::emulator
