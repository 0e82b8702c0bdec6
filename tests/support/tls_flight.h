#pragma once

#include <string>
#include <string_view>

#include "emulator/support/crypto_fixtures.h"
#include "support/raw_server.h"

namespace gcsflux::testing {

/// The record with a client's ClientHello.
std::string ReadClientHello(RawServer::Connection& connection);

/// A server's answer to it with that certificate: ServerHello, its certificate, and the rest of its first flight.
/// `version` is its newest version, as OpenSSL numbers it.
std::string ServerFlight(const emulator::CertificatePem& pem, std::string_view client_hello, int version);

}  // namespace gcsflux::testing
