#pragma once

#include <curl/curl.h>

#include <memory>

#include "base/fork.h"
#include "http/curl_transport.h"
#include "http/transport.h"

namespace gcsflux::internal {

class SocketOwner;

struct EasyDeleter {
  void operator()(CURL* easy) const {
    const NoFork no_fork;
    curl_easy_cleanup(easy);
  }
};
using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;

/// What a transport's easy handles are set to. Thread-safe.
class CurlSettings {
 public:
  explicit CurlSettings(CurlOptions options) : options_(std::move(options)) {}

  [[nodiscard]] const CurlOptions& options() const { return options_; }

  /// A handle with what all requests have in common, set once: setting it anew is 4 % of the instructions of a small
  /// read. Null where libcurl has none. `owner`, null for none, hears of connections that are closed, and outlives
  /// them.
  [[nodiscard]] EasyHandle MakeEasy(SocketOwner* owner = nullptr) const;

  /// Sets what is another for each request, whatever the handle sent before. The rest is CurlExchange's.
  void Prepare(CURL* easy, const HttpRequest& request) const;

 private:
  void PrepareTls(CURL* easy) const;
  void SetUrl(CURL* easy, const HttpRequest& request) const;

  const CurlOptions options_;
};

}  // namespace gcsflux::internal
