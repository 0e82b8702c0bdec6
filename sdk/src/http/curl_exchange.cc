#include "http/curl_exchange.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/call_user_code.h"
#include "base/exceptions_as_errors.h"
#include "http/curl_error.h"

namespace gcsflux::internal {
namespace {

// In an answer of Cloud Storage. malloc keeps up to 1,032 bytes for the next one.
constexpr std::size_t kUsualHeaders = 20;
constexpr std::size_t kUsualBytes = 1000;

// True unless the answer is a temporary failure: another exchange would get the same answer.
bool IsFinal(int status) { return status < 500 && status != 429 && status != 408; }

}  // namespace

CurlExchange::CurlExchange(CURL* easy, const HttpRequest& request, BodyReceiver* receiver, CurlRace& race,
                           bool is_second)
    : easy_(easy),
      request_(request),
      body_{std::as_bytes(std::span(request.head)), request.payload, std::as_bytes(std::span(request.tail))},
      receiver_(receiver),
      race_(race),
      is_second_(is_second) {
  details_.front() = '\0';
  response_.headers.Reserve(kUsualHeaders, kUsualBytes);
  ListHeaders();
}

// Does what curl_slist_append() does, which allocates twice for each line.
void CurlExchange::ListHeaders() {
  static char no_expect[] = "Expect:";  // libcurl would wait up to a second for a 100 Continue.
  const bool has_body = request_.method != Method::kGet && request_.method != Method::kDelete;
  header_list_.reserve(request_.headers.size() + 1);
  for (std::size_t i = 0; i < request_.headers.size(); ++i) {
    header_list_.push_back({.data = const_cast<char*>(request_.headers.Line(i)), .next = nullptr});  // NOLINT
  }
  if (has_body) header_list_.push_back({.data = no_expect, .next = nullptr});
  for (std::size_t i = 1; i < header_list_.size(); ++i) header_list_[i - 1].next = &header_list_[i];
}

CurlExchange::~CurlExchange() {
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, nullptr);
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, nullptr);  // A connection that is closed later may write to it.
}

void CurlExchange::Prepare() {
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, header_list_.empty() ? nullptr : header_list_.data());
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, details_.data());
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(
      easy_, CURLOPT_HEADERFUNCTION, +[](char* line, std::size_t, std::size_t size, void* self) {
        return static_cast<CurlExchange*>(self)->Take([&](CurlExchange& it) {
          return it.TakeHeader({line, size});
        })
                   ? size
                   : 0;
      });
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(
      easy_, CURLOPT_WRITEFUNCTION, +[](char* data, std::size_t, std::size_t size, void* self) {
        const auto bytes = std::as_bytes(std::span(data, size));
        return static_cast<CurlExchange*>(self)->Take([&](CurlExchange& it) { return it.TakeBody(bytes); }) ? size : 0;
      });
  const bool is_get = request_.method == Method::kGet;
  curl_easy_setopt(easy_, CURLOPT_HTTPGET, 1L);  // without a body, unless set below
  curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, is_get ? nullptr : MethodName(request_.method).data());
  curl_easy_setopt(easy_, CURLOPT_PREREQFUNCTION, is_get ? nullptr : &CurlExchange::BeforeSending);
  curl_easy_setopt(easy_, CURLOPT_PREREQDATA, this);
  if (is_get || request_.method == Method::kDelete) return;
  // Sends Content-Length even for an empty body: without it, Cloud Storage answers 411.
  curl_easy_setopt(easy_, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(easy_, CURLOPT_INFILESIZE_LARGE, body_size());
  curl_easy_setopt(easy_, CURLOPT_READDATA, this);
  curl_easy_setopt(
      easy_, CURLOPT_READFUNCTION, +[](char* out, std::size_t, std::size_t capacity, void* self) {
        return static_cast<CurlExchange*>(self)->ReadBody({reinterpret_cast<std::byte*>(out), capacity});
      });
}

// An exception must not pass through libcurl.
template <class Call>
bool CurlExchange::Take(Call call) {
  const auto taken = ExceptionsAsErrors([&]() -> Result<bool> { return call(*this); });
  if (!taken) failure_ = taken.error();
  return taken && *taken;
}

// Called each time libcurl is about to send the request. If a reused connection dies before the first byte of the
// answer, libcurl sends the request again, although the service may have carried it out. The caller would take the
// second answer for the first. Therefore a request that changes something is sent only once.
int CurlExchange::BeforeSending(void* self, char*, char*, int, int) {
  return ++static_cast<CurlExchange*>(self)->times_sent_ == 1 ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

curl_off_t CurlExchange::body_size() const {
  std::size_t size = 0;
  for (const auto& chunk : body_) size += chunk.size();
  return static_cast<curl_off_t>(size);
}

std::size_t CurlExchange::ReadBody(std::span<std::byte> out) {
  std::size_t written = 0;
  while (written < out.size() && chunk_ < body_.size()) {
    const auto rest = body_[chunk_].subspan(chunk_offset_);
    const auto count = std::min(rest.size(), out.size() - written);
    if (count > 0) std::memcpy(out.data() + written, rest.data(), count);
    written += count;
    chunk_offset_ += count;
    if (chunk_offset_ < body_[chunk_].size()) break;
    ++chunk_;
    chunk_offset_ = 0;
  }
  if (written > 0 && !TellSent()) return CURL_READFUNC_ABORT;
  return written;
}

bool CurlExchange::TellSent() {
  if (!request_.on_sent) return true;
  const auto told = CallUserCode("progress callback", [this]() -> Result<void> {
    request_.on_sent(PayloadRead());
    return {};
  });
  if (!told) failure_ = told.error();
  if (!owner_.IsCurrent()) failure_ = owner_.Refuse("the request");
  return !failure_;
}

std::uint64_t CurlExchange::PayloadRead() const {
  constexpr std::size_t kPayload = 1;  // in body_
  if (chunk_ < kPayload) return 0;
  return chunk_ == kPayload ? chunk_offset_ : body_[kPayload].size();
}

bool CurlExchange::TakeHeader(std::string_view line) {
  constexpr std::size_t kMostBytes = 256U << 10;  // libcurl limits a line, but not the head
  head_bytes_ += line.size();
  if (head_bytes_ > kMostBytes) {
    failure_ = Error{ErrorCode::kBadResponse, "the answer's headers are larger than 256 KiB"};
    return false;
  }
  if (!first_byte_) first_byte_ = Clock::now();
  // Behind the body libcurl hands over the trailers of a chunked answer. Nothing vouches for them: they are left out.
  if (begun_ || (is_head_whole_ && !line.starts_with("HTTP/"))) return true;
  while (!line.empty() && std::string_view("\r\n \t").find(line.back()) != std::string_view::npos)
    line.remove_suffix(1);
  is_head_whole_ = line.empty();
  if (line.starts_with("HTTP/")) response_.headers.clear();  // A 100 Continue may precede the answer itself.
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  const auto value = line.find_first_not_of(" \t", colon + 1);
  response_.headers.AddInLowerCase(line.substr(0, colon),
                                   value == std::string_view::npos ? std::string_view() : line.substr(value));
  return true;
}

bool CurlExchange::HasBegun() const {
  curl_off_t begun_after = 0;
  curl_easy_getinfo(easy_, CURLINFO_PRETRANSFER_TIME_T, &begun_after);
  return begun_after > 0;
}

TransferStatistics CurlExchange::Moved() const {
  const auto count = [this](CURLINFO what) {
    curl_off_t value = 0;
    curl_easy_getinfo(easy_, what, &value);
    return static_cast<std::uint64_t>(value);
  };
  return {.bytes_sent = count(CURLINFO_SIZE_UPLOAD_T),
          .bytes_received = count(CURLINFO_SIZE_DOWNLOAD_T),
          .first_byte = first_byte_ ? std::optional(*first_byte_ - start_) : std::nullopt};
}

int CurlExchange::status() const {
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

bool CurlExchange::Claim() {
  if (race_.leader == nullptr) {
    race_.leader = this;
    if (race_.is_on && race_.waiter != nullptr) race_.waiter->Wake();
  }
  return race_.leader == this;
}

// The answer's head is complete. Only the exchange that wins tells the receiver; while two are in progress, a failure
// of one of them is not reported.
void CurlExchange::Begin() {
  if (begun_) return;
  begun_ = true;
  response_.status = status();
  counts_ = is_second_ ? response_.status < 300 : IsFinal(response_.status);
  if (race_.is_on && (!counts_ || race_.leader != nullptr)) return;
  if (receiver_ != nullptr) {
    auto taken = receiver_->OnHeaders(response_);
    if (!taken) {
      failure_ = taken.error();
      return;
    }
    receiver_takes_body_ = *taken;
  }
  if (!receiver_takes_body_) ReserveHeld(response_.body, response_.headers);
  if (counts_) Claim();
}

bool CurlExchange::TakeBody(std::span<const std::byte> data) {
  Begin();
  if (failure_) return false;
  if (counts_ && !Claim()) return false;
  const auto taken = receiver_takes_body_ ? receiver_->OnBody(data) : Hold(data);
  if (!taken) failure_ = taken.error();
  if (!owner_.IsCurrent()) failure_ = owner_.Refuse("the request");  // The sink has returned in a child.
  return !failure_;
}

// Of a failure, only the beginning is kept: it is parsed for the service's words, and a message shows few of them.
Result<void> CurlExchange::Hold(std::span<const std::byte> data) {
  constexpr std::size_t kMostOfFailure = 1U << 20;
  if (response_.status < 300) return AppendHeld(response_.body, data);
  held_bytes_ += data.size();
  if (held_bytes_ > kMostHeldBytes) return Error{ErrorCode::kBadResponse, "the answer is larger than 128 MiB"};
  return AppendHeld(response_.body, data.first(std::min(data.size(), kMostOfFailure - response_.body.size())));
}

Result<HttpResponse> CurlExchange::Finish(CURLcode code) {
  return ExceptionsAsErrors([&] { return Outcome(code); });
}

Result<HttpResponse> CurlExchange::Outcome(CURLcode code) {
  if (failure_) return *failure_;
  if (times_sent_ > 1) return Error{ErrorCode::kUnavailable, "the connection was lost before the answer came"};
  if (code != CURLE_OK) return CurlError(easy_, code, details_.data());
  // If the connection ends within the head, libcurl takes the head for complete.
  if (!is_head_whole_) return Error{ErrorCode::kUnavailable, "the connection ended within the answer's headers"};
  Begin();
  if (failure_) return *failure_;
  if (counts_) Claim();
  return std::move(response_);
}

}  // namespace gcsflux::internal
