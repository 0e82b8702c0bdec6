#include "json_api/batch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/letter_case.h"
#include "bodies/multipart_reader.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMaxCalls = 100;

tl::unexpected<ApiError> Malformed(const std::string& what) {
  return tl::unexpected(BadRequest("Malformed batch request: " + what));
}

// Takes a line off the front, without its end, which is LF or CRLF.
std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view TakeWord(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

void AddField(HttpHeaders& headers, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string_view value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  headers.Add(std::string(line.substr(0, colon)), std::string(value));
}

// A line break that does not belong to the body may follow it. If the length is given, it decides.
std::string BodyOf(const HttpHeaders& headers, std::string_view rest) {
  const std::string* length = headers.Find("content-length");
  std::size_t size = 0;
  if (length == nullptr) return std::string(rest);
  const auto [end, error] = std::from_chars(length->data(), length->data() + length->size(), size);
  return std::string(error == std::errc() ? rest.substr(0, size) : rest);
}

// "GET /storage/v1/b HTTP/1.1", whose version may be absent, header fields, an empty line and the body.
BatchCall ParseCall(std::string_view text) {
  BatchCall call;
  std::string_view line;
  while (line.empty() && !text.empty()) line = TakeLine(text);
  std::string_view method = TakeWord(line);
  const std::string_view target = TakeWord(line);
  if (method.empty() || target.empty()) return call;
  call.request.method = method;
  call.request.target = target;
  for (std::string_view field = TakeLine(text); !field.empty(); field = TakeLine(text)) {
    AddField(call.request.headers, field);
  }
  call.body = BodyOf(call.request.headers, text);
  call.request.headers.Remove("content-length");
  call.request.headers.Remove("transfer-encoding");
  return call;
}

}  // namespace

ApiResult<std::vector<BatchCall>> ParseBatch(std::string_view content_type, const Rope& body) {
  std::optional<MultipartReader> reader = MultipartReader::Make(content_type, "multipart/mixed", body);
  if (!reader) return Malformed("its Content-Type is not multipart/mixed with a boundary.");
  if (!reader->has_parts()) return Malformed("the boundary does not occur.");
  std::vector<BatchCall> calls;
  while (!reader->is_at_end()) {
    const auto head = reader->NextHead();
    const std::optional<Rope> content = head ? reader->Content(*head) : std::nullopt;
    if (!content) return Malformed("a part of it does not end.");
    if (calls.size() == kMaxCalls) return Malformed("it has more than 100 calls.");
    BatchCall& call = calls.emplace_back(ParseCall(content->ToString()));
    if (const std::string* id = head->headers.Find("content-id")) call.content_id = *id;
  }
  if (calls.empty()) return Malformed("it has no calls.");
  return calls;
}

void AddOuterHeaders(const HttpHeaders& outer, HttpHeaders& inner) {
  // An idempotency token belongs to the batch: two of its calls may be alike.
  constexpr std::array<std::string_view, 6> kOuterOnly = {
      "transfer-encoding", "expect", "connection", "te", "x-goog-gcs-idempotency-token", "accept-encoding"};
  const HttpHeaders own = inner;
  for (const auto& [name, value] : outer.fields()) {
    const std::string lower = LowerCase(name);
    const bool is_outer_only =
        lower.starts_with("content-") || std::find(kOuterOnly.begin(), kOuterOnly.end(), lower) != kOuterOnly.end();
    if (!is_outer_only && own.Find(lower) == nullptr) inner.Add(name, value);
  }
}

}  // namespace gcsflux::emulator
