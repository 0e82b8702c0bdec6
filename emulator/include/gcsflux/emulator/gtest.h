#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "gcsflux/emulator/emulator.h"

namespace gcsflux {

// Of gcsflux/client.h, which only a test that calls client() or bucket() includes.
class Client;
struct ClientOptions;

namespace emulator {

/// A GoogleTest fixture: each test has an empty emulator of its own.
///
///     class QuotaTest : public gcsflux::emulator::EmulatorTest {
///      protected:
///       QuotaTest() : EmulatorTest({.quotas = gcsflux::emulator::QuotasProfile("gcs")}) {}
///     };
///     TEST_F(QuotaTest, Stores) { EXPECT_TRUE(client().InsertObject({bucket(), "a"}, gcsflux::AsBytes("1")).ok()); }
///
/// Header only, so that the emulator's library depends neither on GoogleTest nor on the client.
class EmulatorTest : public ::testing::Test {
 protected:
  EmulatorTest() = default;
  /// With quotas, faults, credentials, TLS or virtual buckets: EmulatorOptions.
  explicit EmulatorTest(EmulatorOptions options) : emulator_(std::move(options)) {}

  [[nodiscard]] Emulator& emulator() { return emulator_; }
  /// "http://127.0.0.1:PORT".
  [[nodiscard]] const std::string& endpoint() const { return emulator_.endpoint(); }

  /// A new client of the emulator. The endpoint is filled in, and the project if it is empty. If the emulator has TLS
  /// or requires credentials, give ClientOptions::ca_file or credentials. An error ends the test by an exception.
  template <class AnyClient = gcsflux::Client, class Options = gcsflux::ClientOptions>
  [[nodiscard]] AnyClient client(Options options = {}) const {
    options.endpoint = endpoint();
    if (options.project.empty()) options.project = "test";
    return ValueOf(AnyClient::Create(std::move(options)));
  }

  /// The name of an empty bucket. The first call makes it, with this client.
  template <class AnyClient>
  const std::string& bucket(const AnyClient& client) {
    if (bucket_.empty()) bucket_ = ValueOf(client.InsertBucket("test-bucket")).name;
    return bucket_;
  }
  template <class AnyClient = gcsflux::Client>
  const std::string& bucket() {
    return bucket_.empty() ? bucket(client<AnyClient>()) : bucket_;
  }

 private:
  template <class Result>
  static auto ValueOf(Result result) {
    if (!result.ok()) throw std::runtime_error(result.error().message);
    return *std::move(result);
  }

  Emulator emulator_;
  std::string bucket_;
};

}  // namespace emulator
}  // namespace gcsflux
