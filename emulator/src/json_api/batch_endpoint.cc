#include "json_api/batch_endpoint.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/interruption.h"
#include "base/time_format.h"
#include "bodies/receive_body.h"
#include "http/json_error.h"
#include "http/reason_phrase.h"
#include "http/target.h"
#include "http/which_api.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMaxBatch = std::size_t{10} << 20;
// A hundred lists would take more than a gigabyte.
constexpr std::size_t kMaxAnswers = std::size_t{32} << 20;

std::string_view PathOf(const HttpRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

bool IsBatch(const HttpRequest& request) {
  const std::string_view path = PathOf(request);
  return (path == "/batch/storage/v1" || path == "/batch/storage/v1/") && !IsXmlRequest(request);
}

// The body of a call, which has arrived already.
class TextBody final : public RequestBody {
 public:
  explicit TextBody(std::string_view text) : left_(text), size_(text.size()) {}
  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return size_; }
  [[nodiscard]] std::uint64_t bytes_read() const { return size_ - left_.size(); }
  std::optional<std::size_t> Read(std::span<std::byte> into) override {
    const std::size_t size = std::min(into.size(), left_.size());
    if (size != 0) std::memcpy(into.data(), left_.data(), size);
    left_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view left_;
  std::uint64_t size_;
};

ApiResult<std::string> ReceiveBatch(RequestBody& body) {
  std::string text;
  std::array<char, 16384> buffer;
  while (const std::optional<std::size_t> read = body.Read(std::as_writable_bytes(std::span(buffer)))) {
    if (*read == 0) return text;
    text.append(buffer.data(), *read);
    if (text.size() > kMaxBatch) return tl::unexpected(ApiError{413, "requestTooLarge", "A batch has at most 10 MB."});
  }
  return tl::unexpected(BrokenOff(body));
}

// A batch may not contain uploads, downloads or batches.
bool IsAllowed(const HttpRequest& request) {
  const ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return true;  // the call is refused for that reason
  const bool is_of_api = target->segments.size() > 2 && target->segments[0] == "storage" && target->segments[1] == "v1";
  return is_of_api && target->query.Value("alt") != "media";
}

std::string TextOf(HttpResponse& response) {
  std::string text;
  ResponseSink sink = [&text](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  };
  for (auto filter = response.filters.rbegin(); filter != response.filters.rend(); ++filter) {
    sink = [filter = *filter, next = std::move(sink)](std::span<const std::byte> bytes) {
      return filter->Write(bytes, next);
    };
  }
  if (const auto* whole = std::get_if<std::string>(&response.body)) {
    if (!sink(std::as_bytes(std::span(*whole)))) response.ending = Ending::kClose;
  } else if (const auto* rope = std::get_if<Rope>(&response.body)) {
    if (!rope->ForEachSpan(0, rope->size(), sink)) response.ending = Ending::kClose;
  } else if (!std::get<BodyProducer>(response.body)(sink)) {
    response.ending = Ending::kClose;
  }
  return text;
}

// The answer to "<a+1>" is "<response-a+1>".
std::string ResponseId(const std::string& id) {
  return id.starts_with('<') ? "<response-" + id.substr(1) : "response-" + id;
}

std::string Render(const std::string& content_id, const HttpResponse& response, const std::string& text) {
  std::string part = "Content-Type: application/http\r\n";
  if (!content_id.empty()) part += "Content-ID: " + ResponseId(content_id) + "\r\n";
  part += "\r\nHTTP/1.1 " + std::to_string(response.status) + " " + std::string(ReasonPhrase(response.status)) + "\r\n";
  for (const auto& [name, value] : response.headers.fields())
    part.append(name).append(": ").append(value).append("\r\n");
  part += "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n";
  return part + text;
}

std::string NewBoundary() {
  static std::atomic<std::uint64_t> count = 0;
  return "batch_gcsflux_" + std::to_string(count.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace

HttpResponse BatchEndpoint::Handle(const HttpRequest& request, RequestBody& body) {
  if (!IsBatch(request)) return next_.Handle(request, body);
  ApiResult<HttpResponse> answer = Answer(request, body);
  HttpResponse response = answer ? *std::move(answer) : ErrorResponse(answer.error());
  response.headers.Add("Date", FormatHttpDate(clock_.Now()));
  return response;
}

ApiResult<HttpResponse> BatchEndpoint::Answer(const HttpRequest& request, RequestBody& body) {
  if (request.method != "POST") return tl::unexpected(ApiError{405, "methodNotAllowed", "Method Not Allowed"});
  const ApiResult<std::string> text = ReceiveBatch(body);
  if (!text) return tl::unexpected(text.error());
  const std::string* type = request.headers.Find("content-type");
  ApiResult<std::vector<BatchCall>> calls = ParseBatch(type != nullptr ? *type : "", Rope(*text));
  if (!calls) return tl::unexpected(calls.error());
  const std::string boundary = NewBoundary();
  HttpResponse batch;
  std::string answers;
  for (BatchCall& call : *calls) {
    ThrowIfInterrupted();
    const std::string id = call.content_id;
    HttpResponse response =
        answers.size() < kMaxAnswers
            ? Call(std::move(call), request)
            : ErrorResponse(
                  {503, "backendError", "The batch's other answers have 32 MiB. The call was not carried out."});
    const std::string answer = TextOf(response);
    if (response.observer != nullptr) {
      response.observer->OnSending(answer.size());
      response.observer->OnFinished();
    }
    if (response.ending != Ending::kInOrder) batch.ending = response.ending;
    answers += "--" + boundary + "\r\n" + Render(id, response, answer) + "\r\n";
  }
  batch.headers.Add("Content-Type", "multipart/mixed; boundary=" + boundary);
  answers += "--" + boundary + "--\r\n";
  batch.body = std::move(answers);
  return batch;
}

HttpResponse BatchEndpoint::Call(BatchCall call, const HttpRequest& outer) {
  if (call.request.method.empty()) return ErrorResponse(BadRequest("A part of the batch is not an HTTP request."));
  if (!IsAllowed(call.request)) {
    return ErrorResponse(
        BadRequest("A batch may contain only calls of /storage/v1/: no uploads, downloads or batches."));
  }
  AddOuterHeaders(outer.headers, call.request.headers);
  TextBody body(call.body);
  HttpResponse response = next_.Handle(call.request, body);
  if (response.observer != nullptr) response.observer->OnReceived(body.bytes_read());
  if (call.request.method == "HEAD") response.body = std::string();
  return response;
}

}  // namespace gcsflux::emulator
