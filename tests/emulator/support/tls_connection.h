#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "emulator/support/raw_connection.h"

struct ssl_ctx_st;
struct ssl_st;

namespace gcsflux::emulator {

struct TlsClientOptions {
  /// PEM of the one certificate that is trusted; empty trusts any.
  std::string trusted = {};
  /// The newest version that is spoken; 0 is the newest there is.
  int max_version = 0;
  /// What is offered, as ALPN writes it ("\x08http/1.1"); empty offers nothing.
  std::string alpn = {};
};

/// A RawConnection inside TLS. Throws std::runtime_error where the handshake fails.
class TlsConnection final : public RawConnection {
 public:
  TlsConnection(const std::string& endpoint, const TlsClientOptions& options);

  void Send(std::string_view bytes) override;
  /// "TLSv1.3", say.
  [[nodiscard]] std::string Version() const;
  /// What of the offer was chosen.
  [[nodiscard]] std::string Alpn() const;
  /// Whether the server said that nothing more follows, rather than just being gone.
  [[nodiscard]] bool WasClosedProperly() const;

 protected:
  std::ptrdiff_t ReceiveSome(std::span<char> into) override;

 private:
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> session_;
};

}  // namespace gcsflux::emulator
