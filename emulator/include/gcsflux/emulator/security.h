#pragma once

#include <string>

namespace gcsflux::emulator {

/// What a server shows to prove who it is, and whom it asks; all are the text of PEM files.
struct TlsOptions {
  /// The server's own certificate first, then those that vouch for it.
  std::string certificate_chain = {};
  /// Without a passphrase.
  std::string private_key = {};
  /// The certificates that vouch for clients: who shows none that they vouch for is refused in the handshake. Empty
  /// asks nobody. Set it to try mutual TLS.
  std::string client_authorities = {};
};

/// Who is known, and who may do what.
struct AuthOptions {
  /// JSON, as docs/identity.md describes it: service accounts, users, workload identity pools, roles. Serves the
  /// endpoints where credentials become tokens, and the metadata server of a virtual machine.
  std::string config = {};
  /// Refuses requests without a valid token (401) or without the role that they take (403). False for clients that are
  /// to fetch tokens, while everybody may do everything.
  bool is_required = true;
};

}  // namespace gcsflux::emulator
