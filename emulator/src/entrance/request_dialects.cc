#include "entrance/request_dialects.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "base/letter_case.h"
#include "http/target.h"
#include "http/which_api.h"

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kCommand = "x-goog-upload-command";
constexpr std::string_view kChunkGranularity = "262144";

// Clients write "upload, finalize" with and without the blank.
std::string CommandOf(const HttpRequest& request) {
  const std::string* header = request.headers.Find(kCommand);
  std::string command = header != nullptr ? *header : std::string();
  std::erase(command, ' ');
  return command;
}

std::string HeaderOf(const HttpRequest& request, std::string_view name) {
  const std::string* value = request.headers.Find(name);
  return value != nullptr ? *value : std::string();
}

void AddUploadType(HttpRequest& request, std::string_view type) {
  if (request.target.find("uploadType=") != std::string::npos) return;
  request.target += request.target.find('?') == std::string::npos ? '?' : '&';
  request.target += "uploadType=" + std::string(type);
}

void CopyHeader(HttpRequest& request, std::string_view from, const char* to) {
  const std::string value = HeaderOf(request, from);
  if (!value.empty()) request.headers.Add(to, value);
}

// The range of this request's bytes. If it cannot be valid, it is kept, and refused later as malformed.
std::string RangeOf(const HttpRequest& request, std::string_view command, std::uint64_t size) {
  const std::string text = HeaderOf(request, "x-goog-upload-offset");
  if (command == "query") return "bytes */*";
  std::uint64_t offset = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && offset <= UINT64_MAX - size;
  if (!is_number && !text.empty()) return "bytes " + text;
  const bool is_final = command != "upload";
  const std::string total = is_final ? std::to_string(offset + size) : "*";
  if (size == 0) return "bytes */" + total;
  return "bytes " + std::to_string(offset) + "-" + std::to_string(offset + size - 1) + "/" + total;
}

// The start of an upload in the other dialect, by a request that is not a command to a session.
void BeginUpload(HttpRequest& request, const std::string& protocol) {
  AddUploadType(request, protocol == "raw" ? "media" : protocol);
  const bool is_raw = protocol == "raw";
  if (is_raw) request.headers.Remove("content-type");
  CopyHeader(request, "x-goog-upload-header-content-type", is_raw ? "Content-Type" : "X-Upload-Content-Type");
  if (!is_raw) CopyHeader(request, "x-goog-upload-header-content-length", "X-Upload-Content-Length");
}

std::optional<HttpRequest> FromUploadDialect(const HttpRequest& request, std::optional<std::uint64_t> body_size) {
  const std::string command = CommandOf(request);
  const std::string protocol = HeaderOf(request, "x-goog-upload-protocol");
  constexpr std::array<std::string_view, 3> kProtocols = {"resumable", "raw", "multipart"};
  constexpr std::array<std::string_view, 4> kBytes = {"upload", "upload,finalize", "finalize", "query"};
  const auto is_in = [](const auto& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  HttpRequest plain = request;
  if (command == "cancel") {
    plain.method = "DELETE";
  } else if (is_in(kBytes, command)) {
    plain.method = "PUT";
    plain.headers.Remove("content-range");
    // Bytes of unknown length are the rest of the upload, as in a PUT without a range.
    const bool is_whole_rest = !body_size && command != "upload";
    plain.headers.Add("Content-Range", is_whole_rest ? "bytes " + HeaderOf(request, "x-goog-upload-offset") + "-*/*"
                                                     : RangeOf(request, command, body_size.value_or(0)));
  } else if (is_in(kProtocols, protocol) && (command.empty() || command == "start")) {
    BeginUpload(plain, protocol);
  } else {
    return std::nullopt;
  }
  return plain;
}

void AddStatus(HttpResponse& response, const char* status) { response.headers.Add("X-Goog-Upload-Status", status); }

void ToSessionStart(HttpResponse& response) {
  const std::string* found = response.headers.Find("location");
  if (response.status != 200 || found == nullptr) return;
  const std::string location = *found;  // adding may move it
  AddStatus(response, "active");
  response.headers.Add("X-Goog-Upload-URL", location);
  response.headers.Add("X-Goog-Upload-Control-URL", location);
  response.headers.Add("X-Goog-Upload-Chunk-Granularity", std::string(kChunkGranularity));
}

// "bytes=0-9" means ten.
std::string CountOf(const std::string* range) {
  std::uint64_t last = 0;
  if (range == nullptr || range->find('-') == std::string::npos) return "0";
  const char* const begin = range->data() + range->find('-') + 1;
  std::from_chars(begin, range->data() + range->size(), last);
  return std::to_string(last + 1);
}

void ToProgress(HttpResponse& response) {
  const bool is_incomplete = response.status == 308 || response.headers.Find("x-http-status-code-override") != nullptr;
  if (!is_incomplete) return;
  const std::string count = CountOf(response.headers.Find("range"));
  response.status = 200;
  response.headers.Remove("range");
  response.headers.Remove("x-http-status-code-override");
  AddStatus(response, "active");
  response.headers.Add("X-Goog-Upload-Size-Received", count);
}

}  // namespace

std::optional<HttpRequest> ToPlainRequest(const HttpRequest& request, std::optional<std::uint64_t> body_size) {
  if (request.method != "POST" && request.method != "PUT") return std::nullopt;
  const bool names_upload =
      request.headers.Find(kCommand) != nullptr || request.headers.Find("x-goog-upload-protocol") != nullptr;
  const std::string* method = request.method == "POST" ? request.headers.Find("x-http-method-override") : nullptr;
  if ((!names_upload && method == nullptr) || IsXmlRequest(request)) return std::nullopt;
  std::optional<HttpRequest> plain = names_upload ? FromUploadDialect(request, body_size) : std::nullopt;
  if (method == nullptr) return plain;
  if (!plain) plain = request;
  plain->method = *method;
  return plain;
}

bool MayBeCompressed(const HttpRequest& plain) {
  const std::string* coding = plain.headers.Find("content-encoding");
  if (coding == nullptr || !IsInAnyCase(*coding, "gzip") || IsXmlRequest(plain)) return false;
  const ApiResult<Target> target = ParseTarget(plain.target);
  return target && target->query.Value("uploadType") != "media" && target->query.Find("upload_id") == nullptr;
}

void ToDialectOf(const HttpRequest& request, HttpResponse& response) {
  const std::string command = CommandOf(request);
  if (command.empty()) return;
  if (command == "start") return ToSessionStart(response);
  if (command == "cancel") {
    if (response.status != 499) return;
    response.status = 200;
    return AddStatus(response, "cancelled");
  }
  const bool is_complete = response.status == 200 && response.headers.Find("x-http-status-code-override") == nullptr;
  is_complete ? AddStatus(response, "final") : ToProgress(response);
}

}  // namespace gcsflux::emulator
