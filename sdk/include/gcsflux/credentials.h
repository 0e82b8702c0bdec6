#pragma once

#include <string>

namespace gcsflux {

/// Who the client claims to be. A cheap value; the token never appears in messages or logs.
class Credentials {
 public:
  /// Sends no Authorization header: public buckets and emulators.
  static Credentials Anonymous() { return Credentials({}); }

  /// Sends `Authorization: Bearer <token>` as it is, until it expires; it cannot be refreshed.
  /// The client refuses to send it over plain http to anything but this machine's loopback.
  static Credentials AccessToken(std::string token) { return Credentials(std::move(token)); }

  [[nodiscard]] bool is_anonymous() const { return token_.empty(); }
  [[nodiscard]] const std::string& access_token() const { return token_; }

 private:
  explicit Credentials(std::string token) : token_(std::move(token)) {}
  std::string token_;
};

}  // namespace gcsflux
