#include "network/http_codec.h"

#include <httplib.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "http/json_error.h"
#include "network/body_reader.h"
#include "network/head_faults.h"
#include "network/refusal.h"
#include "network/shielded_head.h"

namespace gcsflux::emulator {
namespace {

std::span<const std::byte> AsBytes(const char* data, std::size_t size) { return std::as_bytes(std::span(data, size)); }

// One request and its answer, while httplib works on them.
struct Exchange {
  RequestHandler& handler;
  SocketStream& stream;
  std::string long_target = {};  ///< See TakeLongTarget.
  bool is_handled = false;
  bool can_go_on = false;
  bool is_1_0 = false;
  Ending ending = Ending::kInOrder;
  std::vector<std::shared_ptr<BodyFilter>> filters = {};
  std::shared_ptr<ResponseObserver> observer = {};
  std::optional<std::uint64_t> left = {};  // of the answer's body, if its length is announced
};

// What httplib reads a head from and writes an answer to. Bodies of requests do not pass through it.
class CodecStream final : public httplib::Stream {
 public:
  CodecStream(std::string_view head, const Exchange& exchange) : head_(head), exchange_(exchange) {}

  bool is_readable() const override { return !head_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* data, size_t size) override {
    const std::size_t read = std::min(size, head_.size());
    std::memcpy(data, head_.data(), read);
    head_.remove_prefix(read);
    return static_cast<ssize_t>(read);
  }
  ssize_t write(const char* data, size_t size) override {
    if (exchange_.ending == Ending::kSilence) return -1;
    if (!std::exchange(has_status_line_, true)) return WriteHead(std::string_view(data, size));
    return exchange_.stream.Write(AsBytes(data, size)) ? static_cast<ssize_t>(size) : -1;
  }
  // httplib would add them to the request's headers.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  // For some of GCS's statuses, httplib has no reason phrase or another one.
  ssize_t WriteHead(std::string_view head) {
    const std::string_view status = head.substr(0, std::string_view("HTTP/1.1 NNN").size());
    const std::size_t line_end = std::min(head.find('\r'), head.size());
    std::string_view line = head.substr(0, line_end);
    if (status.ends_with(" 308")) line = "HTTP/1.1 308 Resume Incomplete";
    if (status.ends_with(" 499")) line = "HTTP/1.1 499 Client Closed Request";
    const bool ok = exchange_.stream.Write(line) && exchange_.stream.Write(head.substr(line_end));
    return ok ? static_cast<ssize_t>(head.size()) : -1;
  }

  std::string_view head_;
  const Exchange& exchange_;
  bool has_status_line_ = false;
};

bool IsAddedByHttplib(const std::string& name) {
  static constexpr std::array<std::string_view, 4> kAdded = {"REMOTE_ADDR", "REMOTE_PORT", "LOCAL_ADDR", "LOCAL_PORT"};
  return std::find(kAdded.begin(), kAdded.end(), name) != kAdded.end();
}

HttpRequest ToRequest(const httplib::Request& parsed, std::string&& long_target) {
  HttpRequest request{.method = parsed.method,
                      .target = long_target.empty() ? std::string(parsed.target) : std::move(long_target)};
  for (const auto& [name, value] : parsed.headers) {
    if (!IsAddedByHttplib(name)) request.headers.Add(std::string(UnshieldedName(name)), value);
  }
  return request;
}

// Writes an answer's body through its filters. The exchange exists while httplib works on the answer.
class BodyWriter {
 public:
  explicit BodyWriter(Exchange& exchange) : exchange_(exchange) {}

  /// The body has `bytes`, by what the client is told.
  void Announce(std::uint64_t bytes) const { exchange_.left = bytes; }
  bool Write(std::span<const std::byte> bytes, httplib::DataSink& sink) const { return WriteFrom(0, bytes, sink); }

 private:
  bool WriteFrom(std::size_t filter, std::span<const std::byte> bytes, httplib::DataSink& sink) const {
    if (filter == exchange_.filters.size()) return Send(bytes, sink);
    return exchange_.filters[filter]->Write(
        bytes, [&](std::span<const std::byte> passed) { return WriteFrom(filter + 1, passed, sink); });
  }

  bool Send(std::span<const std::byte> bytes, httplib::DataSink& sink) const {
    if (exchange_.observer == nullptr) return Pass(bytes, sink);
    const bool is_last = exchange_.left && *exchange_.left <= bytes.size();
    if (exchange_.left) *exchange_.left -= std::min<std::uint64_t>(*exchange_.left, bytes.size());
    if (is_last && bytes.size() > kAtOnce) {  // A slow client needs time for most of them.
      const std::span<const std::byte> most = bytes.first(bytes.size() - kAtOnce);
      exchange_.observer->OnSending(most.size());
      if (!Pass(most, sink)) return false;
      bytes = bytes.last(kAtOnce);
    }
    exchange_.observer->OnSending(bytes.size());
    if (is_last) exchange_.observer->OnLastBytes();
    return Pass(bytes, sink);
  }

  bool Pass(std::span<const std::byte> bytes, httplib::DataSink& sink) const {
    if (!bytes.empty() && !sink.write(reinterpret_cast<const char*>(bytes.data()), bytes.size())) return false;
    // A filter decides when its bytes are sent.
    return exchange_.filters.empty() || exchange_.stream.Flush();
  }

  static constexpr std::size_t kAtOnce = std::size_t{256} << 10;  // The system's buffers take so many.

  Exchange& exchange_;
};

struct Announcement {
  std::string content_type = {};
  std::optional<std::uint64_t> false_length = {};
  bool is_until_close = false;  // A body of unknown length ends with the connection, because HTTP/1.0 has no chunks.
};

// Some texts are long listings. httplib copies what it writes, so a text goes out as a rope, which is copied cheaply.
class SharedText {
 public:
  explicit SharedText(std::string&& text) : text_(std::make_shared<const std::string>(std::move(text))) {}

  [[nodiscard]] std::uint64_t size() const { return text_->size(); }
  template <class Visit>
  bool ForEachSpan(std::uint64_t offset, std::uint64_t length, Visit&& visit) const {
    return visit(AsBytes(text_->data() + offset, static_cast<std::size_t>(length)));
  }

 private:
  std::shared_ptr<const std::string> text_;
};

template <class Bytes>
void SetBytes(httplib::Response& out, const Announcement& announced, Bytes bytes, BodyWriter writer) {
  const std::uint64_t size = announced.false_length.value_or(bytes.size());
  writer.Announce(size);
  if (size == 0) {
    if (!announced.content_type.empty()) out.set_header("Content-Type", announced.content_type);
    return;
  }
  const auto provider = [bytes = std::move(bytes), writer, is_false = announced.false_length.has_value()](
                            size_t offset, size_t length, httplib::DataSink& sink) {
    const bool sent = bytes.ForEachSpan(offset, is_false ? bytes.size() - offset : length,
                                        [&](std::span<const std::byte> span) { return writer.Write(span, sink); });
    return sent && offset + length <= bytes.size();
  };
  out.set_content_provider(size, announced.content_type, provider);
}

void SetBody(httplib::Response& out, const Announcement& announced, Rope&& bytes, BodyWriter writer) {
  SetBytes(out, announced, std::move(bytes), writer);
}

void SetBody(httplib::Response& out, const Announcement& announced, BodyProducer&& producer, BodyWriter writer) {
  const auto provider = [producer = std::move(producer), writer](size_t /*offset*/, httplib::DataSink& sink) {
    const bool produced = producer([&](std::span<const std::byte> bytes) { return writer.Write(bytes, sink); });
    if (produced) sink.done();
    return produced;
  };
  announced.is_until_close ? out.set_content_provider(announced.content_type, provider)
                           : out.set_chunked_content_provider(announced.content_type, provider);
}

void SetBody(httplib::Response& out, const Announcement& announced, std::string&& text, BodyWriter writer) {
  SetBytes(out, announced, SharedText(std::move(text)), writer);
}

void FillIn(httplib::Response& out, HttpResponse&& response, Exchange& exchange) {
  out.status = response.status;
  Announcement announced{.false_length = response.false_length, .is_until_close = exchange.is_1_0};
  for (const auto& [name, value] : response.headers.fields()) {
    if (name == "Content-Type") {
      announced.content_type = value;
    } else {
      out.set_header(name, value);
    }
  }
  std::visit([&](auto&& body) { SetBody(out, announced, std::forward<decltype(body)>(body), BodyWriter(exchange)); },
             std::move(response.body));
}

// If no repetition can change a refusal, it is answered while the body still arrives: a client need not send gigabytes
// to learn that a bucket does not exist. Other answers wait for the whole request. Many clients look at an answer only
// then, and the connection serves the next request.
bool IsAnsweredEarly(const HttpResponse& response, const BodyReader& body) {
  constexpr std::uint64_t kSoonThere = std::uint64_t{64} << 10;
  const int status = response.status;
  const bool is_final = status == 304 || (status >= 400 && status < 500 && status != 408 && status != 429);
  return is_final && response.ending == Ending::kInOrder && body.unread() > kSoonThere;
}

void Handle(Exchange& exchange, const httplib::Request& parsed, httplib::Response& out) {
  exchange.is_handled = true;
  exchange.is_1_0 = parsed.version == "HTTP/1.0";
  const HttpRequest request = ToRequest(parsed, std::move(exchange.long_target));
  BodyReader body(exchange.stream, request.headers);
  if (!body.is_framed()) {
    HttpResponse refusal = ErrorResponse(BadRequest("The length of the request's body is malformed."));
    refusal.headers.Add("Connection", "close");
    return FillIn(out, std::move(refusal), exchange);
  }
  HttpResponse response = exchange.handler.Handle(request, body);
  exchange.ending = response.ending;
  const bool ends_with_connection = exchange.is_1_0 && std::holds_alternative<BodyProducer>(response.body);
  if (IsAnsweredEarly(response, body)) {
    exchange.stream.LeaveUnread(body.unread());
  } else {
    exchange.can_go_on = response.ending != Ending::kSilence && body.Drain() && !ends_with_connection;
  }
  if (!exchange.can_go_on) response.headers.Add("Connection", "close");
  exchange.filters = std::move(response.filters);
  exchange.observer = std::move(response.observer);
  if (exchange.observer != nullptr) exchange.observer->OnReceived(body.bytes_read());
  FillIn(out, std::move(response), exchange);
}

Ending RefuseMalformed(const std::string& fault, SocketStream& stream) {
  const std::string message = "The request's head is malformed: " + fault + ".";
  stream.Write(RenderRefusal("400 Bad Request", {400, "badRequest", message}));
  return Ending::kClose;
}

// httplib calls its handlers without saying for which connection. One thread at a time serves a connection.
thread_local Exchange* current_exchange = nullptr;

}  // namespace

// Only two things of httplib's server are used: it parses heads and writes answers. Its listener has a backlog of 5 and
// ends on an interrupted accept(). Its streams use select(), which fails from descriptor 1024 on. Its body readers
// inflate gzip, wait 5 s for a POST without a length, refuse forms over 8 KiB and read 4 KiB at a time.
class HttpCodec::Server final : public httplib::Server {
 public:
  explicit Server(RequestHandler& handler) : handler_(handler) {
    svr_sock_ =
        INVALID_SOCKET -
        1;  // httplib takes a server without a listening socket for one that is shutting down, and sends no bodies
    // Before httplib's own routing, which decodes the path first and so cannot tell %2F from '/'.
    set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
      Handle(*current_exchange, request, response);
      return HandlerResponse::Handled;
    });
    // Called for every status from 400 on, also for requests that httplib itself refuses before routing.
    set_error_handler(HandlerWithResponse([](const httplib::Request&, httplib::Response& response) {
      if (current_exchange->is_handled) return HandlerResponse::Unhandled;
      FillIn(response, ErrorResponse(ApiError{response.status, "badRequest", "The request's head is malformed."}),
             *current_exchange);
      return HandlerResponse::Handled;
    }));
    // Idle connections are kept as long as clients like, so there is no time-out to announce.
    set_post_routing_handler(
        [](const httplib::Request&, httplib::Response& response) { response.headers.erase("Keep-Alive"); });
  }

  Ending Answer(std::string_view head, SocketStream& socket) {
    if (const auto fault = FindHeadFault(head)) return RefuseMalformed(*fault, socket);
    Exchange exchange{handler_, socket};
    std::string shielded = ShieldHead(head);
    exchange.long_target = TakeLongTarget(shielded);
    current_exchange = &exchange;
    CodecStream stream(shielded, exchange);
    bool is_last = false;
    const bool ok = process_request(stream, false, is_last, nullptr);
    current_exchange = nullptr;
    if (exchange.observer != nullptr) exchange.observer->OnLastBytes();
    const bool is_out = exchange.ending != Ending::kSilence && socket.Flush() && ok;
    if (exchange.observer != nullptr) exchange.observer->OnFinished();
    if (exchange.ending != Ending::kInOrder) return exchange.ending;
    return is_out && exchange.can_go_on && !is_last ? Ending::kInOrder : Ending::kClose;
  }

 private:
  RequestHandler& handler_;
};

HttpCodec::HttpCodec(RequestHandler& handler) {
  // httplib makes the process ignore SIGPIPE. The embedding program must decide that; our sends do not raise it.
  struct sigaction before {};
  ::sigaction(SIGPIPE, nullptr, &before);
  server_ = std::make_unique<Server>(handler);
  ::sigaction(SIGPIPE, &before, nullptr);
}

HttpCodec::~HttpCodec() = default;
Ending HttpCodec::Answer(std::string_view head, SocketStream& stream) { return server_->Answer(head, stream); }

void HttpCodec::RefuseHead(SocketStream::HeadOutcome why, SocketStream& stream) {
  const bool is_slow = why == SocketStream::HeadOutcome::kTooSlow;
  stream.Write(is_slow ? RenderRefusal("408 Request Timeout", RequestTimedOut())
                       : RenderRefusal("431 Request Header Fields Too Large",
                                       {431, "badRequest", "The request's head is too large."}));
}

}  // namespace gcsflux::emulator
