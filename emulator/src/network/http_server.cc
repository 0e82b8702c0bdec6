#include "network/http_server.h"

#include <fcntl.h>

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "base/interruption.h"
#include "network/http_codec.h"

namespace gcsflux::emulator {

HttpServer::HttpServer(HttpServerOptions options, RequestHandler& handler)
    : handler_(handler),
      options_(std::move(options)),
      listener_(std::in_place, options_.host, options_.port),
      authority_(listener_->authority()),
      refused_(/*answers=*/!options_.tls) {
  acceptor_ = std::thread([this] { AcceptConnections(); });
}

HttpServer::~HttpServer() { Stop(); }

void HttpServer::Stop() {
  const std::scoped_lock stop_lock(stop_mutex_);
  if (!listener_) return;
  is_stopping_ = true;
  listener_->Stop();
  acceptor_.join();
  {
    const std::scoped_lock lock(mutex_);
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
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(std::count_if(connections_.begin(), connections_.end(),
                                                [](const Connection& c) { return c.stream.has_value(); }));
}

void HttpServer::LimitUnderWay(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (listener_) listener_->LimitUnderWay(bytes);
}

void HttpServer::AcceptConnections() {
  for (bool goes_on = true; goes_on;) {
    try {
      goes_on = AcceptNext();
    } catch (const std::bad_alloc&) {
      constexpr int kMoment = 10;  // milliseconds, until other threads may have freed some
      ::poll(nullptr, 0, kMoment);
    }
  }
}

// Returns false if the server stops.
bool HttpServer::AcceptNext() {
  std::vector<pollfd> others;
  refused_.AddTo(others);
  const Listener::Arrival arrival = listener_->Accept(std::move(others));
  JoinFinished();
  if (arrival.kind == Listener::Arrival::Kind::kStopped) return false;
  refused_.Tend();
  if (arrival.kind == Listener::Arrival::Kind::kConnection) Begin(arrival.socket);
  if (arrival.kind == Listener::Arrival::Kind::kShortage) {
    refused_.AcceptFrom(listener_->socket());
    LogShortage("are no descriptors");
  }
  return true;
}

void HttpServer::Begin(int socket) {
  const std::scoped_lock lock(mutex_);
  std::list<Connection> begun;
  try {
    Connection& connection = begun.emplace_back();
    connection.stream.emplace(socket, options_.tls ? &*options_.tls : nullptr, options_.patience);
    connection.thread = std::thread([this, &connection] { Serve(connection); });
    connections_.splice(connections_.end(), begun);
  } catch (const std::system_error&) {
    Refuse(socket, begun.front());
    LogShortage("are no threads");
  } catch (const std::bad_alloc&) {
    begun.empty() ? refused_.Take(socket) : Refuse(socket, begun.front());
    LogShortage("is no memory");
  }
}

// The connection's stream owns the socket. Without a stream, the socket was closed.
void HttpServer::Refuse(int socket, const Connection& connection) {
  const int kept = connection.stream ? ::fcntl(socket, F_DUPFD_CLOEXEC, 0) : -1;
  if (kept >= 0) refused_.Take(kept);
}

void HttpServer::LogShortage(const std::string& what) {
  if (std::exchange(has_logged_shortage_, true) || !options_.log) return;
  options_.log("there " + what + " for another connection: clients are answered 503 until others end");
}

void HttpServer::Serve(Connection& connection) {
  const Interruptible interruptible(is_stopping_);
  SocketStream& stream = *connection.stream;
  try {
    ServeRequests(stream);
  } catch (const std::exception&) {  // there is no memory, not even to say so
    stream.Reset();
  }
  stream.Shutdown();
  const std::scoped_lock lock(mutex_);
  connection.stream.reset();
  if (listener_) listener_->Wake();  // so that this thread is joined: its memory is held until then
}

void HttpServer::ServeRequests(SocketStream& stream) {
  if (!stream.Accept()) return stream.CloseGracefully();  // so that the client can read why
  std::string head;
  while (true) {
    const SocketStream::HeadOutcome outcome = stream.ReadHead(head);
    if (outcome == SocketStream::HeadOutcome::kGone) return;
    Ending ending = Ending::kClose;
    if (outcome == SocketStream::HeadOutcome::kComplete) {
      ending = AnswerRequest(head, stream, handler_);
    } else {
      RefuseHead(outcome, stream);
    }
    if (ending == Ending::kInOrder) continue;
    return ending == Ending::kClose ? stream.CloseGracefully() : stream.Reset();
  }
}

void HttpServer::JoinFinished() {
  std::list<Connection> finished;
  {
    const std::scoped_lock lock(mutex_);
    for (auto at = connections_.begin(); at != connections_.end();) {
      const auto next = std::next(at);
      if (!at->stream) finished.splice(finished.end(), connections_, at);
      at = next;
    }
  }
  for (Connection& connection : finished) connection.thread.join();
}

}  // namespace gcsflux::emulator
