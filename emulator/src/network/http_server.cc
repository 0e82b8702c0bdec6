#include "network/http_server.h"

#include <fcntl.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/interruption.h"

namespace gcsflux::emulator {

HttpServer::HttpServer(HttpServerOptions options, RequestHandler& handler)
    : codec_(handler),
      options_(std::move(options)),
      listener_(std::in_place, options_.host, options_.port),
      authority_(listener_->authority()),
      refused_(/*answers=*/!options_.tls) {
  acceptor_ = std::thread([this] { AcceptConnections(); });
}

HttpServer::~HttpServer() { Stop(); }

void HttpServer::Stop() {
  const std::lock_guard stop_lock(stop_mutex_);
  if (!listener_) return;
  is_stopping_ = true;
  listener_->Stop();
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    listener_.reset();
    for (Connection& connection : connections_) {
      if (connection.stream) connection.stream->Shutdown();
    }
  }
  // No more connections are added, so only this thread uses the list.
  for (Connection& connection : connections_) connection.thread.join();
  connections_.clear();
}

std::size_t HttpServer::CountConnections() {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(connections_.begin(), connections_.end(),
                                                [](const Connection& c) { return c.stream.has_value(); }));
}

void HttpServer::LimitUnderWay(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (listener_) listener_->LimitUnderWay(bytes);
}

void HttpServer::AcceptConnections() {
  while (true) {
    std::vector<pollfd> others;
    refused_.AddTo(others);
    const Listener::Arrival arrival = listener_->Accept(std::move(others));
    JoinFinished();
    if (arrival.kind == Listener::Arrival::Kind::kStopped) return;
    refused_.Tend();
    if (arrival.kind == Listener::Arrival::Kind::kConnection) Begin(arrival.socket);
    if (arrival.kind == Listener::Arrival::Kind::kShortage) {
      LogShortage("descriptors");
      refused_.AcceptFrom(listener_->socket());
    }
  }
}

void HttpServer::Begin(int socket) {
  const std::lock_guard lock(mutex_);
  Connection& connection = connections_.emplace_back(socket, options_);
  try {
    connection.thread = std::thread([this, &connection] { Serve(connection); });
  } catch (const std::system_error&) {
    LogShortage("threads");
    const int kept = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (kept >= 0) refused_.Take(kept);
    connections_.pop_back();
  }
}

void HttpServer::LogShortage(const std::string& what) {
  if (std::exchange(has_logged_shortage_, true) || !options_.log) return;
  options_.log("there are no " + what + " for another connection: clients are answered 503 until others end");
}

void HttpServer::Serve(Connection& connection) {
  const Interruptible interruptible(is_stopping_);
  SocketStream& stream = *connection.stream;
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
  connection.stream.reset();
  if (listener_) listener_->Wake();  // so that this thread is joined: its memory is held until then
}

void HttpServer::JoinFinished() {
  std::list<Connection> finished;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = connections_.begin(); at != connections_.end();) {
      const auto next = std::next(at);
      if (!at->stream) finished.splice(finished.end(), connections_, at);
      at = next;
    }
  }
  for (Connection& connection : finished) connection.thread.join();
}

}  // namespace gcsflux::emulator
