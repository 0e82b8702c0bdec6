#pragma once

#include <memory>

#include "gcsflux/emulator/security.h"

struct ssl_ctx_st;
struct ssl_st;

namespace gcsflux::emulator {

/// The server's side of TLS 1.2 and 1.3: its certificate chain and key. Thread-safe.
class TlsContext {
 public:
  /// Throws std::invalid_argument if a text of `options` cannot be read, or if the key does not belong to the
  /// certificate.
  explicit TlsContext(const TlsOptions& options);

 private:
  friend class TlsSession;
  std::shared_ptr<ssl_ctx_st> context_;
};

}  // namespace gcsflux::emulator
