#pragma once

#include <string>
#include <string_view>

#include "emulator/support/crypto_fixtures.h"
#include "support/raw_server.h"

namespace gcsflux::testing {

/// The record in which a client says hello.
std::string ReadClientHello(RawServer::Connection& connection);

/// What a server with that certificate answers to it: ServerHello, its certificate, and what else it says before the
/// client speaks again. `version` is the newest that it speaks, as OpenSSL numbers it.
std::string ServerFlight(const emulator::CertificatePem& pem, std::string_view client_hello, int version);

}  // namespace gcsflux::testing
