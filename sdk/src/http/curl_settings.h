#pragma once

#include <curl/curl.h>

#include <memory>

#include "base/process/leaf_section.h"
#include "http/curl_transport.h"
#include "http/transport.h"

namespace gcsflux::internal {

class SocketOwner;

struct EasyDeleter {
  void operator()(CURL* easy) const {
    const LeafSection leaf;
    curl_easy_cleanup(easy);
  }
};
using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;

/// The settings of a transport's easy handles. Thread-safe.
class CurlSettings {
 public:
  explicit CurlSettings(CurlOptions options) : options_(std::move(options)) {}

  [[nodiscard]] const CurlOptions& options() const { return options_; }

  /// A handle with the settings of all requests. They are set once, because setting them again costs 4 % of the
  /// instructions of a small read. Null if libcurl has no memory. `owner` is told of connections that are closed, and
  /// outlives them; null for none.
  [[nodiscard]] EasyHandle MakeEasy(SocketOwner* owner = nullptr) const;

  /// Sets what differs between requests, whatever the handle sent before. CurlExchange sets the rest.
  void Prepare(CURL* easy, const HttpRequest& request) const;

 private:
  void PrepareTls(CURL* easy) const;
  void SetUrl(CURL* easy, const HttpRequest& request) const;

  const CurlOptions options_;
};

}  // namespace gcsflux::internal
