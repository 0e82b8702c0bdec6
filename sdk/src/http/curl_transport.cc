#include "http/curl_transport.h"

#include <curl/curl.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "http/curl_drive.h"

namespace gcsflux::internal {
namespace {

// Measured: from 128 KiB on, glibc's trim and mmap thresholds can double the CPU per request.
constexpr long kReceiveBufferBytes = 64L << 10;
// Measured: 5.4 GB/s, against 3.2 at libcurl's default of 64 KiB.
constexpr long kSendBufferBytes = 512L << 10;

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct MultiDeleter {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

// An easy handle is driven through a multi handle of its own, since only that can be woken from another thread
// (curl_easy_perform notices a cancellation up to 0.8 s late). The multi handle owns the connection.
struct Handle {
  std::unique_ptr<CURLM, MultiDeleter> multi{curl_multi_init()};
  std::unique_ptr<CURL, EasyDeleter> easy{curl_easy_init()};
};

class CurlTransport : public Transport {
 public:
  explicit CurlTransport(CurlOptions options) : options_(std::move(options)) {
    // Thread-safe by being done once, before the first handle; libcurl keeps it until the process ends.
    static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
    static_cast<void>(kReady);
  }

  Result<HttpResponse> Perform(const HttpRequest& request, BodyReceiver* receiver,
                               const std::stop_token& stop) override {
    return Run(request, receiver, nullptr, stop);
  }

  Result<HttpResponse> PerformWatched(const HttpRequest& request, BodyReceiver* receiver, Watch& watch,
                                      const std::stop_token& stop) override {
    return Run(request, receiver, &watch, stop);
  }

 private:
  Result<HttpResponse> Run(const HttpRequest& request, BodyReceiver* receiver, Watch* watch,
                           const std::stop_token& stop) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled before it was sent"};
    Handle handle = Borrow();
    if (!handle.easy || !handle.multi) return Error{ErrorCode::kUnavailable, "libcurl could not make a handle"};
    const auto set_up = [this](CURL* easy, const HttpRequest& of) { Prepare(easy, of); };
    CurlDrive drive(handle.multi.get(), receiver, watch, options_.stall_timeout, set_up);
    auto response = drive.Run(handle.easy.get(), request, stop);
    // After a failure the handle goes, and its connection with it.
    if (!response) return response;
    curl_easy_reset(handle.easy.get());
    Return(std::move(handle));
    return response;
  }

  // What all requests have in common.
  void Prepare(CURL* easy, const HttpRequest& request) const {
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, options_.user_agent.c_str());
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(request.connect_timeout.value_or(options_.connect_timeout).count()));
    PrepareProxy(easy, request.bypass_proxy);
    PrepareTls(easy);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, kReceiveBufferBytes);
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, kSendBufferBytes);
  }

  void PrepareProxy(CURL* easy, bool is_bypassed) const {
    if (is_bypassed) {
      curl_easy_setopt(easy, CURLOPT_PROXY, "");
      return;
    }
    if (options_.proxy) curl_easy_setopt(easy, CURLOPT_PROXY, options_.proxy->c_str());
    if (options_.no_proxy) curl_easy_setopt(easy, CURLOPT_NOPROXY, options_.no_proxy->c_str());
  }

  void PrepareTls(CURL* easy) const {
    if (!options_.ca_file.empty()) {
      curl_easy_setopt(easy, CURLOPT_CAINFO, options_.ca_file.c_str());
      curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, options_.ca_file.c_str());
    }
    if (options_.client_certificate_file.empty()) return;
    const std::string& key =
        options_.client_key_file.empty() ? options_.client_certificate_file : options_.client_key_file;
    curl_easy_setopt(easy, CURLOPT_SSLCERT, options_.client_certificate_file.c_str());
    curl_easy_setopt(easy, CURLOPT_SSLKEY, key.c_str());
    curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");  // else OpenSSL would ask for it at the terminal
  }

  // The one returned last is the warmest.
  Handle Borrow() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return {};
    Handle handle = std::move(idle_.back());
    idle_.pop_back();
    return handle;
  }

  void Return(Handle handle) {
    const std::scoped_lock lock(mutex_);
    if (idle_.size() < options_.max_idle_connections) idle_.push_back(std::move(handle));
  }

  const CurlOptions options_;
  std::mutex mutex_;
  std::vector<Handle> idle_;  // Guarded by mutex_.
};

}  // namespace

std::string_view MethodName(Method method) {
  switch (method) {
    case Method::kGet: return "GET";
    case Method::kPost: return "POST";
    case Method::kPut: return "PUT";
    case Method::kPatch: return "PATCH";
    case Method::kDelete: return "DELETE";
  }
  return "GET";
}

std::string_view FindHeader(const Headers& headers, std::string_view name) {
  const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& h) { return h.first == name; });
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::unique_ptr<Transport> MakeCurlTransport(const CurlOptions& options) {
  return std::make_unique<CurlTransport>(options);
}

}  // namespace gcsflux::internal
