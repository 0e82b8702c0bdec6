#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

// Keys and certificates, made when a test asks for them: none is in the repository.

struct KeyPem {
  std::string private_key = {};
  std::string public_key = {};
};

/// RSA, 2048 bits; the same for the same number within a process.
const KeyPem& TestKey(int number);

struct CertificateOptions {
  std::string names = "IP:127.0.0.1,IP:::1,DNS:localhost";  ///< The subject, as OpenSSL writes it.
  std::chrono::seconds ends_in = std::chrono::hours(1);     ///< If negative, it has expired.
};

/// A self-signed certificate and its key.
struct CertificatePem {
  std::string certificate = {};
  std::string private_key = {};
};
CertificatePem MakeCertificate(const CertificateOptions& options = {});

std::string SignRs256(std::string_view text, const std::string& private_key);
std::string SignHs256(std::string_view text, std::string_view secret);

std::string ToBase64Url(std::string_view bytes);
/// The two parts that are signed.
std::string UnsignedJwt(const nlohmann::json& header, const nlohmann::json& claims);
std::string SignedJwt(const nlohmann::json& header, const nlohmann::json& claims, const std::string& private_key);

/// In the form of a token's claims.
std::int64_t SecondsOf(std::chrono::system_clock::time_point time);

}  // namespace gcsflux::emulator
