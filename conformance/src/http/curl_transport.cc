#include "http/curl_transport.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstring>

namespace gcsflux::conformance {
namespace {

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

void Append(HeaderList& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  // The head stays the owner; release() because curl returns the same list.
  static_cast<void>(list.release());
  list.reset(longer);
}

/// A name without a value switches off a header that libcurl would add. An empty value is written "Name;".
HeaderList MakeHeaders(const Request& request, const std::string& access_token) {
  HeaderList list;
  Append(list, "Accept:");
  Append(list, "Expect:");
  if (!FindHeader(request.headers, "Content-Type")) Append(list, "Content-Type:");
  if (request.chunked) Append(list, "Transfer-Encoding: chunked");
  const bool has_own = FindHeader(request.headers, "Authorization").has_value();
  if (!access_token.empty() && !request.anonymous && !has_own) Append(list, "Authorization: Bearer " + access_token);
  for (const auto& [name, value] : request.headers) {
    std::string line = name;
    line += value.empty() ? ";" : ": ";
    Append(list, line += value);
  }
  return list;
}

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of an answer

std::size_t AppendBody(char* data, std::size_t size, std::size_t count, void* body) {
  auto& text = *static_cast<std::string*>(body);
  if (text.size() + size * count > kMostBytes) return 0;  // libcurl ends the transfer
  text.append(data, size * count);
  return size * count;
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

struct ReceivedHeaders {
  Headers fields = {};  ///< Of the last answer.
  std::size_t lines = 0;
};

std::size_t AppendHeader(char* data, std::size_t size, std::size_t count, void* headers) {
  auto& received = *static_cast<ReceivedHeaders*>(headers);
  const std::string_view line(data, size * count);
  // Each status line begins a new answer. Anything before it belongs to a 100 or to a proxy's CONNECT.
  if (line.starts_with("HTTP/")) received.fields.clear();
  constexpr std::size_t kMostLines = 10'000;    // with those of 100s: a service may send them without end
  if (++received.lines > kMostLines) return 0;  // libcurl ends the transfer
  const std::size_t colon = line.find(':');
  if (colon != line.npos && !line.starts_with("HTTP/")) {
    received.fields.emplace_back(line.substr(0, colon), Trimmed(line.substr(colon + 1)));
  }
  return line.size();
}

struct Unread {
  std::string_view bytes;
};

std::size_t ReadBody(char* buffer, std::size_t size, std::size_t count, void* source) {
  auto& unread = static_cast<Unread*>(source)->bytes;
  const std::size_t n = std::min(size * count, unread.size());
  std::memcpy(buffer, unread.data(), n);
  unread.remove_prefix(n);
  return n;
}

void SetBody(CURL* handle, const Request& request, Unread& unread) {
  const bool may_have_body = request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  if (request.method == "HEAD") curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
  if (!request.body && !may_have_body) return;
  curl_easy_setopt(handle, CURLOPT_POST, 1L);
  if (request.chunked) {
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, &ReadBody);
    curl_easy_setopt(handle, CURLOPT_READDATA, &unread);
    return;
  }
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, unread.bytes.data());
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(unread.bytes.size()));
}

void SetConnection(CURL* handle, const std::string& endpoint, const std::string& target) {
  curl_easy_setopt(handle, CURLOPT_URL, endpoint.c_str());
  // The target goes out unchanged: libcurl would refuse some targets and tidy up others ("/a/../b").
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(handle, CURLOPT_REQUEST_TARGET, target.c_str());
  // A proxy for plain http needs an absolute target. That would no longer be the case's own.
  if (endpoint.starts_with("http://")) curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "gcsflux-conformance");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, 10L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, 30L);
}

}  // namespace

void CurlTransport::Close::operator()(void* handle) const { curl_easy_cleanup(handle); }

CurlTransport::CurlTransport(std::string endpoint, std::string access_token,
                             std::function<std::chrono::milliseconds()> time_left)
    : CurlTransport(
          std::move(endpoint), [token = std::move(access_token)] { return token; }, std::move(time_left)) {}

CurlTransport::CurlTransport(std::string endpoint, std::function<std::string()> access_token,
                             std::function<std::chrono::milliseconds()> time_left)
    : endpoint_(std::move(endpoint)),
      access_token_(std::move(access_token)),
      time_left_(std::move(time_left)),
      handle_(curl_easy_init()) {
  if (handle_ == nullptr) throw std::bad_alloc();
}

CurlTransport::~CurlTransport() = default;

OrError<Response> CurlTransport::Send(const Request& request) {
  CURL* handle = handle_.get();
  curl_easy_reset(handle);
  if (time_left_) {
    const auto left = time_left_().count();
    if (left <= 0) return Failed("the time is over: see --case_timeout_s and --timeout_s");
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(left));
  }
  char problem[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, problem);
  SetConnection(handle, endpoint_, request.target);
  Unread unread{request.body ? std::string_view(*request.body) : std::string_view("")};
  SetBody(handle, request, unread);
  curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  const HeaderList headers = MakeHeaders(request, access_token_());
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());

  Response response;
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &AppendBody);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &response.body);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &AppendHeader);
  ReceivedHeaders received;
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &received);
  const CURLcode code = curl_easy_perform(handle);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, nullptr);  // The handle outlives the buffer.
  if (code != CURLE_OK) {
    const std::string reason = problem[0] != '\0' ? problem : curl_easy_strerror(code);
    return Failed("no complete answer from " + endpoint_ + ": " + reason);
  }
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  response.status = static_cast<int>(status);
  response.headers = std::move(received.fields);
  return response;
}

}  // namespace gcsflux::conformance
