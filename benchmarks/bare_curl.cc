#include "bare_curl.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "crc32c.h"

namespace gcsflux::bench {

struct BareCurl::Handle {
  CURL* easy = curl_easy_init();
  std::span<std::byte> rest;  // Of a GET's destination.
  std::uint32_t crc32c = 0;   // Of the bytes written there, if it is summed.
  bool is_summed = false;
  std::span<const std::byte> unsent;  // Of a body.

  static std::size_t Write(char* data, std::size_t, std::size_t size, void* self) {
    auto& [easy, rest, crc32c, is_summed, unsent] = *static_cast<Handle*>(self);
    if (size > rest.size()) return 0;
    std::memcpy(rest.data(), data, size);
    if (is_summed) crc32c = ExtendCrc32c(crc32c, {data, size});
    rest = rest.subspan(size);
    return size;
  }

  static std::size_t Append(char* data, std::size_t, std::size_t size, void* text) {
    static_cast<std::string*>(text)->append(data, size);
    return size;
  }

  static std::size_t Discard(char*, std::size_t, std::size_t size, void*) { return size; }

  static std::size_t Read(char* out, std::size_t, std::size_t room, void* self) {
    auto& unsent = static_cast<Handle*>(self)->unsent;
    const std::size_t count = std::min(room, unsent.size());
    std::memcpy(out, unsent.data(), count);
    unsent = unsent.subspan(count);
    return count;
  }

  bool Perform() {
    long status = 0;
    return curl_easy_perform(easy) == CURLE_OK &&
           curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK && status == 200;
  }
};

BareCurl::BareCurl(std::string ca_file) : ca_file_(std::move(ca_file)), handle_(std::make_unique<Handle>()) {}
BareCurl::~BareCurl() { curl_easy_cleanup(handle_->easy); }

bool BareCurl::Get(const std::string& url, std::span<std::byte> buffer, bool is_summed) {
  handle_->rest = buffer;
  handle_->crc32c = 0;
  handle_->is_summed = is_summed;
  curl_easy_reset(handle_->easy);
  curl_easy_setopt(handle_->easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle_->easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  if (!ca_file_.empty()) curl_easy_setopt(handle_->easy, CURLOPT_CAINFO, ca_file_.c_str());
  curl_easy_setopt(handle_->easy, CURLOPT_BUFFERSIZE, 64L << 10);
  curl_easy_setopt(handle_->easy, CURLOPT_WRITEFUNCTION, &Handle::Write);
  curl_easy_setopt(handle_->easy, CURLOPT_WRITEDATA, handle_.get());
  return handle_->Perform() && handle_->rest.empty();
}

bool BareCurl::Get(const std::string& url, std::span<std::byte> buffer) { return Get(url, buffer, false); }

std::optional<std::uint32_t> BareCurl::GetWithCrc32c(const std::string& url, std::span<std::byte> buffer) {
  return Get(url, buffer, true) ? std::optional(handle_->crc32c) : std::nullopt;
}

bool BareCurl::Get(const std::string& url, std::string& text) {
  text.clear();
  curl_easy_reset(handle_->easy);
  curl_easy_setopt(handle_->easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle_->easy, CURLOPT_WRITEFUNCTION, &Handle::Append);
  curl_easy_setopt(handle_->easy, CURLOPT_BUFFERSIZE, 64L << 10);
  curl_easy_setopt(handle_->easy, CURLOPT_WRITEDATA, &text);
  return handle_->Perform();
}

bool BareCurl::Post(const std::string& url, std::span<const std::byte> body) { return Send("POST", url, body); }
bool BareCurl::Put(const std::string& url, std::span<const std::byte> body) { return Send("PUT", url, body); }

bool BareCurl::Send(const char* method, const std::string& url, std::span<const std::byte> body) {
  handle_->unsent = body;
  curl_easy_reset(handle_->easy);
  curl_slist* headers = curl_slist_append(nullptr, "Expect:");
  curl_easy_setopt(handle_->easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(handle_->easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle_->easy, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(handle_->easy, CURLOPT_CUSTOMREQUEST, method);
  curl_easy_setopt(handle_->easy, CURLOPT_UPLOAD_BUFFERSIZE, 512L << 10);
  curl_easy_setopt(handle_->easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(handle_->easy, CURLOPT_READFUNCTION, &Handle::Read);
  curl_easy_setopt(handle_->easy, CURLOPT_READDATA, handle_.get());
  curl_easy_setopt(handle_->easy, CURLOPT_WRITEFUNCTION, &Handle::Discard);
  const bool done = handle_->Perform();
  curl_slist_free_all(headers);
  return done;
}

}  // namespace gcsflux::bench
