#pragma once

#include <memory>
#include <string_view>

struct ssl_ctx_st;
struct ssl_st;

namespace gcsflux::emulator {

/// The server's side of TLS 1.2 and 1.3: its certificate chain and key. Thread-safe.
class TlsContext {
 public:
  /// Both in PEM; the key without a passphrase. Throws std::invalid_argument where one of them cannot be read, or the
  /// key is not the certificate's.
  TlsContext(std::string_view certificate_chain, std::string_view private_key);

 private:
  friend class TlsSession;
  std::shared_ptr<ssl_ctx_st> context_;
};

}  // namespace gcsflux::emulator
