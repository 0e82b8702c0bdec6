#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::bench {

/// The simplest reader of answers: one keep-alive connection over loopback, which costs little more than recv(). Reads
/// only answers with a Content-Length. One thread at a time.
class BareHttp {
 public:
  /// `endpoint` is "http://127.0.0.1:PORT". Throws std::system_error if nothing listens.
  explicit BareHttp(const std::string& endpoint);
  ~BareHttp();
  BareHttp(const BareHttp&) = delete;
  BareHttp& operator=(const BareHttp&) = delete;

  /// The answer's body, valid until the next call; nothing unless the whole body arrives with status 200.
  std::optional<std::string_view> Get(std::string_view target) { return Exchange("GET", target, {}); }
  std::optional<std::string_view> Post(std::string_view target, std::string_view body) {
    return Exchange("POST", target, body);
  }

 private:
  std::optional<std::string_view> Exchange(std::string_view method, std::string_view target, std::string_view body);
  bool Send(std::string_view bytes) const;
  bool ReceiveAtLeast(std::size_t bytes);

  int socket_ = -1;
  std::string request_;
  std::string received_;  // the first size_ bytes of it were received
  std::size_t size_ = 0;
};

}  // namespace gcsflux::bench
