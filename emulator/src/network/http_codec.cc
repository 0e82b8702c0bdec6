#include "network/http_codec.h"

#include <exception>
#include <string>
#include <variant>

#include "http/error_answer.h"
#include "http/json_error.h"
#include "network/answer_head.h"
#include "network/answer_writer.h"
#include "network/body_reader.h"
#include "network/request_head.h"

namespace gcsflux::emulator {
namespace {

// If no repetition can change a refusal, it is answered while the body still arrives: a client need not send gigabytes
// to learn that a bucket does not exist. Other answers wait for the whole request. Many clients look at an answer only
// then, and the connection serves the next request.
bool IsAnsweredEarly(const HttpResponse& response, const BodyReader& body) {
  constexpr std::uint64_t kSoonThere = std::uint64_t{64} << 10;
  const int status = response.status;
  const bool is_final = status == 304 || (status >= 400 && status < 500 && status != 408 && status != 429);
  return is_final && response.ending == Ending::kInOrder && body.unread() > kSoonThere;
}

// Reads the rest of the request. Returns whether another one may follow.
bool FinishReading(const HttpResponse& response, BodyReader& body, SocketStream& stream) {
  if (!IsAnsweredEarly(response, body)) return body.Drain();
  stream.LeaveUnread(body.unread());
  return false;
}

Ending WriteAnswer(HttpResponse& response, bool can_go_on, AnswerWriter& writer, SocketStream& stream) {
  if (!can_go_on) response.headers.Add("Connection", "close");
  const bool is_written = writer.Write(response);
  if (response.observer != nullptr) response.observer->OnLastBytes();
  const bool is_out = stream.Flush() && is_written;
  if (response.observer != nullptr) response.observer->OnFinished();
  if (response.ending != Ending::kInOrder) return response.ending;
  return is_out && can_go_on ? Ending::kInOrder : Ending::kClose;
}

Ending Exchange(const RequestHead& head, SocketStream& stream, RequestHandler& handler, AnswerWriter& writer) {
  BodyReader body(stream, head.request.headers);
  if (!body.is_framed()) {
    HttpResponse refusal = ErrorResponse(BadRequest("The length of the request's body is malformed."));
    return WriteAnswer(refusal, /*can_go_on=*/false, writer, stream);
  }
  HttpResponse response = handler.Handle(head.request, body);
  const bool is_silent = response.ending == Ending::kSilence;
  const bool ends_with_connection = head.is_1_0 && std::holds_alternative<BodyProducer>(response.body);
  const bool can_go_on = !is_silent && FinishReading(response, body, stream) && !ends_with_connection && !head.closes;
  if (response.observer != nullptr) response.observer->OnReceived(body.bytes_read());
  if (!is_silent) return WriteAnswer(response, can_go_on, writer, stream);
  if (response.observer != nullptr) response.observer->OnFinished();
  return Ending::kSilence;
}

}  // namespace

Ending AnswerRequest(std::string_view text, SocketStream& stream, RequestHandler& handler) {
  const ApiResult<RequestHead> head = ParseRequestHead(text);
  if (!head) {
    stream.Write(RenderRefusal(head.error()));
    return Ending::kClose;
  }
  AnswerWriter writer(*head, stream);
  try {
    return Exchange(*head, stream, handler, writer);
  } catch (const std::exception&) {
    if (writer.has_begun()) return Ending::kReset;
    stream.Write(RenderRefusal(CaughtError()));
    stream.LeaveUnread(UINT64_MAX);
    return Ending::kClose;
  }
}

void RefuseHead(SocketStream::HeadOutcome why, SocketStream& stream) {
  ApiError error{431, "badRequest", "The request's head is too large."};
  if (why == SocketStream::HeadOutcome::kTooSlow) error = RequestTimedOut();
  if (why == SocketStream::HeadOutcome::kTls) error = BadRequest("This is plain HTTP, not TLS: use http://.");
  stream.Write(RenderRefusal(error));
}

}  // namespace gcsflux::emulator
