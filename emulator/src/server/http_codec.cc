#include "server/http_codec.h"

#include <httplib.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "server/body_reader.h"
#include "server/json_error.h"
#include "server/shielded_head.h"

namespace gcsflux::emulator {
namespace {

std::span<const std::byte> AsBytes(const char* data, std::size_t size) { return std::as_bytes(std::span(data, size)); }

// What httplib reads a head from and writes an answer to. Bodies of requests never come this way.
class CodecStream final : public httplib::Stream {
 public:
  CodecStream(std::string_view head, SocketStream& socket) : head_(head), socket_(socket) {}

  bool is_readable() const override { return !head_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* data, size_t size) override {
    const std::size_t read = std::min(size, head_.size());
    std::memcpy(data, head_.data(), read);
    head_.remove_prefix(read);
    return static_cast<ssize_t>(read);
  }
  ssize_t write(const char* data, size_t size) override {
    if (!std::exchange(has_status_line_, true)) return WriteHead(std::string_view(data, size));
    return socket_.Write(AsBytes(data, size)) ? static_cast<ssize_t>(size) : -1;
  }
  // httplib would put them among the request's headers.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  // httplib knows no reason phrase for some of GCS's statuses, or another one.
  ssize_t WriteHead(std::string_view head) {
    const std::string_view status = head.substr(0, std::string_view("HTTP/1.1 NNN").size());
    const std::size_t line_end = std::min(head.find('\r'), head.size());
    std::string_view line = head.substr(0, line_end);
    if (status.ends_with(" 308")) line = "HTTP/1.1 308 Resume Incomplete";
    if (status.ends_with(" 499")) line = "HTTP/1.1 499 Client Closed Request";
    const bool ok = socket_.Write(line) && socket_.Write(head.substr(line_end));
    return ok ? static_cast<ssize_t>(head.size()) : -1;
  }

  std::string_view head_;
  SocketStream& socket_;
  bool has_status_line_ = false;
};

bool IsAddedByHttplib(const std::string& name) {
  static constexpr std::array<std::string_view, 4> kAdded = {"REMOTE_ADDR", "REMOTE_PORT", "LOCAL_ADDR", "LOCAL_PORT"};
  return std::find(kAdded.begin(), kAdded.end(), name) != kAdded.end();
}

HttpRequest ToRequest(const httplib::Request& parsed) {
  HttpRequest request{.method = parsed.method, .target = parsed.target};
  for (const auto& [name, value] : parsed.headers) {
    if (!IsAddedByHttplib(name)) request.headers.Add(std::string(UnshieldedName(name)), value);
  }
  return request;
}

// In the following an observer may be null; it lives as long as httplib works on the answer.

void SetBody(httplib::Response& out, const std::string& content_type, Rope bytes, ResponseObserver* observer) {
  if (bytes.size() == 0) {
    if (!content_type.empty()) out.set_header("Content-Type", content_type);
    return;
  }
  const std::size_t size = bytes.size();
  const auto provider = [bytes = std::move(bytes), observer](size_t offset, size_t length, httplib::DataSink& sink) {
    return bytes.ForEachSpan(offset, length, [&](std::span<const std::byte> span) {
      if (observer != nullptr) observer->OnSending(span.size());
      return sink.write(reinterpret_cast<const char*>(span.data()), span.size());
    });
  };
  out.set_content_provider(size, content_type, provider);
}

void SetBody(httplib::Response& out, const std::string& content_type, BodyProducer producer,
             ResponseObserver* observer) {
  out.set_chunked_content_provider(
      content_type, [producer = std::move(producer), observer](size_t /*offset*/, httplib::DataSink& sink) {
        const bool produced = producer([&](std::span<const std::byte> bytes) {
          if (observer != nullptr) observer->OnSending(bytes.size());
          return bytes.empty() || sink.write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        });
        if (produced) sink.done();
        return produced;
      });
}

void SetBody(httplib::Response& out, const std::string& content_type, const std::string& text,
             ResponseObserver* observer) {
  SetBody(out, content_type, Rope(text), observer);
}

void FillIn(httplib::Response& out, HttpResponse&& response, ResponseObserver* observer) {
  out.status = response.status;
  std::string content_type;
  for (const auto& [name, value] : response.headers.fields()) {
    if (name == "Content-Type") {
      content_type = value;
    } else {
      out.set_header(name, value);
    }
  }
  std::visit([&](auto&& body) { SetBody(out, content_type, std::forward<decltype(body)>(body), observer); },
             std::move(response.body));
}

// One request and its answer, for as long as httplib works on them.
struct Exchange {
  RequestHandler& handler;
  SocketStream& stream;
  bool is_handled = false;
  bool can_go_on = false;
  std::shared_ptr<ResponseObserver> observer = {};
};

void Handle(Exchange& exchange, const httplib::Request& parsed, httplib::Response& out) {
  exchange.is_handled = true;
  const HttpRequest request = ToRequest(parsed);
  BodyReader body(exchange.stream, request.headers);
  if (!body.is_framed())
    return FillIn(out, ErrorResponse(BadRequest("The length of the request's body is malformed.")), nullptr);
  HttpResponse response = exchange.handler.Handle(request, body);
  // The whole request is read before it is answered: many clients look at an answer only then.
  exchange.can_go_on = body.Drain();
  if (!exchange.can_go_on) response.headers.Add("Connection", "close");
  exchange.observer = std::move(response.observer);
  if (exchange.observer != nullptr) exchange.observer->OnReceived(body.bytes_read());
  FillIn(out, std::move(response), exchange.observer.get());
}

// httplib calls its handlers without saying for which connection; a connection is served by one thread at a time.
thread_local Exchange* current_exchange = nullptr;

}  // namespace

// Of httplib's server only the parsing of heads and the writing of answers is used. Its listener has a backlog of 5
// and ends on an interrupted accept(), its streams use select(), which fails from descriptor 1024 on, and its body
// readers inflate gzip, wait 5 s for a POST without a length, refuse forms over 8 KiB and read 4 KiB at a time.
class HttpCodec::Server final : public httplib::Server {
 public:
  explicit Server(RequestHandler& handler) : handler_(handler) {
    svr_sock_ = INVALID_SOCKET - 1;  // a server without a listening socket is shutting down, and sends no bodies
    // Before httplib's own routing, which decodes the path first and so cannot tell %2F from '/'.
    set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
      Handle(*current_exchange, request, response);
      return HandlerResponse::Handled;
    });
    // Called for every status from 400 on, also for what httplib refuses by itself before routing.
    set_error_handler(HandlerWithResponse([](const httplib::Request&, httplib::Response& response) {
      if (current_exchange->is_handled) return HandlerResponse::Unhandled;
      FillIn(response, ErrorResponse(ApiError{response.status, "badRequest", "The request's head is malformed."}),
             nullptr);
      return HandlerResponse::Handled;
    }));
    // Idle connections are kept as long as clients like: there is no time-out to announce.
    set_post_routing_handler(
        [](const httplib::Request&, httplib::Response& response) { response.headers.erase("Keep-Alive"); });
  }

  bool Answer(std::string_view head, SocketStream& socket) {
    Exchange exchange{handler_, socket};
    current_exchange = &exchange;
    const std::string shielded = ShieldHead(head);
    CodecStream stream(shielded, socket);
    bool is_last = false;
    const bool ok = process_request(stream, false, is_last, nullptr);
    current_exchange = nullptr;
    const bool is_out = socket.Flush() && ok;
    if (exchange.observer != nullptr) exchange.observer->OnFinished();
    return is_out && exchange.can_go_on && !is_last;
  }

 private:
  RequestHandler& handler_;
};

HttpCodec::HttpCodec(RequestHandler& handler) {
  // httplib sets the process to ignore SIGPIPE. That is for whoever embeds an emulator to decide: our sends do not
  // raise it.
  struct sigaction before {};
  ::sigaction(SIGPIPE, nullptr, &before);
  server_ = std::make_unique<Server>(handler);
  ::sigaction(SIGPIPE, &before, nullptr);
}

HttpCodec::~HttpCodec() = default;
bool HttpCodec::Answer(std::string_view head, SocketStream& stream) { return server_->Answer(head, stream); }

void HttpCodec::RefuseHead(SocketStream::HeadOutcome why, SocketStream& stream) {
  const bool is_slow = why == SocketStream::HeadOutcome::kTooSlow;
  const HttpResponse response =
      ErrorResponse(is_slow ? RequestTimedOut() : ApiError{431, "badRequest", "The request's head is too large."});
  const auto& body = std::get<std::string>(response.body);
  stream.Write(is_slow ? "HTTP/1.1 408 Request Timeout\r\n" : "HTTP/1.1 431 Request Header Fields Too Large\r\n");
  stream.Write("Connection: close\r\nContent-Type: application/json; charset=UTF-8\r\n");
  stream.Write("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

}  // namespace gcsflux::emulator
