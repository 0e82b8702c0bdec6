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
  /// PEM of the one trusted certificate; if empty, any is trusted.
  std::string trusted = {};
  /// The newest version to use; 0 is the newest one that exists.
  int max_version = 0;
  /// The protocols to offer, in ALPN's form ("\x08http/1.1"); if empty, none.
  std::string alpn = {};
};

/// A RawConnection inside TLS. Throws std::runtime_error if the handshake fails.
class TlsConnection final : public RawConnection {
 public:
  TlsConnection(const std::string& endpoint, const TlsClientOptions& options);

  void Send(std::string_view bytes) override;
  /// For example "TLSv1.3".
  [[nodiscard]] std::string Version() const;
  /// The chosen protocol.
  [[nodiscard]] std::string Alpn() const;
  /// Whether the server sent close_notify.
  [[nodiscard]] bool WasClosedProperly() const;

 protected:
  std::ptrdiff_t ReceiveSome(std::span<char> into) override;

 private:
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> session_;
};

}  // namespace gcsflux::emulator
