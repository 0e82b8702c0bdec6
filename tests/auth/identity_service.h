#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "emulator/support/crypto_fixtures.h"
#include "emulator/support/identity_fixture.h"
#include "gcsflux/emulator/emulator.h"
#include "http/curl_transport.h"
#include "support/driven_timing.h"
#include "support/test_directory.h"

namespace gcsflux::testing {

/// The emulator with the identities of identity_fixture.h, which requires credentials; its clock stands still.
class IdentityService {
 public:
  explicit IdentityService(bool is_tls = true) {
    emulator::EmulatorOptions options{.auth = emulator::AuthOptions{.config = emulator::IdentityConfigText()}};
    if (is_tls) {
      const auto pem = emulator::MakeCertificate();
      options.tls = emulator::TlsOptions{pem.certificate, pem.private_key};
      ca_file_ = directory_.Write("ca.pem", pem.certificate);
    }
    emulator_ = std::make_unique<emulator::Emulator>(options);
    emulator_->clock().Freeze();
  }

  emulator::Emulator& emulator() { return *emulator_; }
  [[nodiscard]] const std::string& endpoint() const { return emulator_->endpoint(); }
  /// "127.0.0.1:PORT"
  [[nodiscard]] std::string host() const { return endpoint().substr(endpoint().find("://") + 3); }
  [[nodiscard]] const TestDirectory& directory() const { return directory_; }

  /// Trusts this emulator's certificate and no other.
  [[nodiscard]] std::unique_ptr<internal::Transport> MakeTransport() const {
    return internal::MakeCurlTransport({.user_agent = "test", .ca_file = ca_file_});
  }

  /// How often an operation was answered with `status`; 0: with any.
  [[nodiscard]] std::uint64_t Count(const std::string& operation, int status = 0) const {
    std::uint64_t count = 0;
    for (const auto& counted : emulator_->counters().operations) {
      if (counted.operation == operation && (status == 0 || counted.status == status)) count += counted.requests;
    }
    return count;
  }

 private:
  TestDirectory directory_;
  std::string ca_file_;
  std::unique_ptr<emulator::Emulator> emulator_;
};

/// Waits as DrivenTiming does; the date is the emulator's.
class EmulatorTiming : public DrivenTiming {
 public:
  explicit EmulatorTiming(emulator::Emulator& service) : service_(service) {}
  [[nodiscard]] std::chrono::system_clock::time_point SystemNow() const override { return service_.clock().Now(); }

 private:
  emulator::Emulator& service_;
};

}  // namespace gcsflux::testing
