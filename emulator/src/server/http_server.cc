#include "server/http_server.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace gcsflux::emulator {

HttpServer::HttpServer(HttpServerOptions options, RequestHandler& handler)
    : codec_(handler),
      options_(std::move(options)),
      listener_(std::in_place, options_.host, options_.port),
      authority_(listener_->authority()) {
  acceptor_ = std::thread([this] { AcceptConnections(); });
}

HttpServer::~HttpServer() { Stop(); }

void HttpServer::Stop() {
  const std::lock_guard stop_lock(stop_mutex_);
  if (!listener_) return;
  listener_->Stop();
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    listener_.reset();
    for (Connection& connection : connections_) connection.stream.Shutdown();
  }
  // No connection is added any more, so the list is this thread's.
  for (Connection& connection : connections_) connection.thread.join();
  connections_.clear();
}

std::size_t HttpServer::CountConnections() {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(connections_.begin(), connections_.end(), [](const Connection& c) { return !c.is_finished; }));
}

void HttpServer::LimitUnderWay(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (listener_) listener_->LimitUnderWay(bytes);
}

void HttpServer::AcceptConnections() {
  while (true) {
    const int socket = listener_->Accept();
    JoinFinished();
    if (socket < 0) return;
    const std::lock_guard lock(mutex_);
    Connection& connection = connections_.emplace_back(socket, options_);
    try {
      connection.thread = std::thread([this, &connection] { Serve(connection); });
    } catch (const std::system_error&) {
      connections_.pop_back();  // no thread to be had: the client sees a closed connection and comes again
    }
  }
}

void HttpServer::Serve(Connection& connection) {
  SocketStream& stream = connection.stream;
  std::string head;
  const bool is_accepted = stream.Accept();
  if (!is_accepted) stream.CloseGracefully();  // so that the client can read why
  while (is_accepted) {
    const SocketStream::HeadOutcome outcome = stream.ReadHead(head);
    if (outcome == SocketStream::HeadOutcome::kGone) break;
    Ending ending = Ending::kClose;
    if (outcome == SocketStream::HeadOutcome::kComplete) {
      ending = codec_.Answer(head, stream);
    } else {
      HttpCodec::RefuseHead(outcome, stream);
    }
    if (ending == Ending::kInOrder) continue;
    ending == Ending::kClose ? stream.CloseGracefully() : stream.Reset();
    break;
  }
  stream.Shutdown();
  const std::lock_guard lock(mutex_);
  connection.is_finished = true;
}

void HttpServer::JoinFinished() {
  std::list<Connection> finished;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = connections_.begin(); at != connections_.end();) {
      const auto next = std::next(at);
      if (at->is_finished) finished.splice(finished.end(), connections_, at);
      at = next;
    }
  }
  for (Connection& connection : finished) connection.thread.join();
}

}  // namespace gcsflux::emulator
