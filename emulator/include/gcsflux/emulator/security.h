#pragma once

#include <string>

namespace gcsflux::emulator {

/// The certificates of a server, and whether it asks clients for theirs. All are the text of PEM files.
struct TlsOptions {
  /// The server's own certificate first, then the chain to its authority.
  std::string certificate_chain = {};
  /// Without a passphrase.
  std::string private_key = {};
  /// Authorities for client certificates. A client that shows none signed by them is refused in the handshake. If
  /// empty, no client is asked. Set it to try mutual TLS.
  std::string client_authorities = {};
};

/// Who is known, and who may do what.
struct AuthOptions {
  /// JSON, as docs/emulator/identity.md describes it: service accounts, users, workload identity pools, roles. With it,
  /// the emulator serves the endpoints that exchange credentials for tokens, and the metadata server of a virtual
  /// machine.
  std::string config = {};
  /// Refuses requests without a valid token (401) or without the role that they need (403). False lets clients fetch
  /// tokens while every caller may do everything.
  bool is_required = true;
};

}  // namespace gcsflux::emulator
