// Clients that do what a client must not do fail the published scenarios. Each takes the place of one of the SDK's
// calls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/read_file.h"
#include "gcsflux/emulator/emulator.h"
#include "http/curl_transport.h"
#include "retry_tests/parse_scenarios.h"
#include "retry_tests/run_trial.h"

namespace gcsflux::conformance {
namespace {

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Repeats a write that may have been carried out.
Result<void> RepeatsWithoutPrecondition(const Client& client, Scene& scene) {
  auto stored = client.InsertObject(scene.new_object, Bytes(UploadBytes()));
  for (int attempt = 1; attempt < 3 && !stored.ok(); ++attempt) {
    stored = client.InsertObject(scene.new_object, Bytes(UploadBytes()));
  }
  return WithoutValue(stored);
}

/// After a failure, stores what it has not sent yet, as if the rest were there.
Result<void> NeverResumes(const Client& client, Scene& scene) {
  const std::string_view bytes = UploadBytes();
  const auto half = client.InsertObject(scene.new_object, Bytes(bytes.substr(0, bytes.size() / 2)));
  static_cast<void>(half);
  return WithoutValue(client.InsertObject(scene.new_object, Bytes(bytes.substr(bytes.size() / 2))));
}

/// Joins two ranges whose sizes are right; a range has no checksum.
Result<void> TrustsSizesOnly(const Client& client, Scene& scene) {
  const std::size_t half = ObjectBytes().size() / 2;
  scene.received.resize(ObjectBytes().size());
  const std::span<std::byte> all = std::as_writable_bytes(std::span(scene.received));
  for (const std::size_t begin : {std::size_t{0}, half}) {
    const auto read = client.ReadObject(scene.object, all.subspan(begin, half), {.range = ByteRange{begin, half}});
    if (!read.ok()) return read.error();
  }
  return {};
}

/// Appends the whole object to what it has got before the stream broke.
Result<void> RestartsAtByteZero(const Client& client, Scene& scene) {
  const auto read = client.ReadObject(scene.object);
  if (!read.ok()) return read.error();
  scene.received = read->substr(0, 256 << 10) + *read;
  return {};
}

Result<void> SwallowsTheLastError(const Client& client, Scene& scene) {
  const auto found = client.GetObject(scene.object);
  static_cast<void>(found);
  return {};
}

struct BrokenClient {
  SdkCall call;
  std::string file;
  std::string scenario;
  std::string why;
};

TEST(BrokenClients, FailTheScenarios) {
  const BrokenClient clients[] = {
      {{kInsert, "", "InsertObject", Repeatable::kUnderPrecondition, &RepeatsWithoutPrecondition, &CheckStored},
       "gcsflux.json",
       "107",
       "the call succeeded, and was to fail"},
      {{kInsert, "storage.resumable.upload", "NeverResumes", Repeatable::kAlways, &NeverResumes, &CheckStored},
       "public_scenarios.json",
       "7",
       ""},
      {{kGet, kDownload, "ReadObject.String", Repeatable::kAlways, &TrustsSizesOnly, &CheckWhole},
       "gcsflux.json",
       "119",
       "the call succeeded, and was to fail"},
      {{kGet, kDownload, "RestartsAtByteZero", Repeatable::kAlways, &RestartsAtByteZero, &CheckWhole},
       "public_scenarios.json",
       "8",
       "other bytes were read than are stored"},
      {{"storage.objects.get", "", "SwallowsTheLastError", Repeatable::kAlways, &SwallowsTheLastError, &NothingToCheck},
       "public_scenarios.json",
       "5",
       "the call succeeded, and was to fail"},
  };
  for (const BrokenClient& broken : clients) {
    const std::string file = std::string(GCSFLUX_RETRY_TESTS "/") + broken.file;
    auto scenarios = ParseScenarios(file, ReadFile(file).value_or(""));
    ASSERT_TRUE(scenarios) << scenarios.error();
    std::erase_if(*scenarios, [&](const RetryScenario& each) { return each.id != broken.scenario; });
    const emulator::Emulator emulator;
    CurlTransport transport(emulator.endpoint(), "");
    const Service service{
        .transport = transport, .endpoint = emulator.endpoint(), .project = "p", .sleep = [](auto) {}};
    int failed = 0;
    for (const Trial& trial : MakeTrials(*scenarios, std::span(&broken.call, 1))) {
      const Outcome outcome = RunTrial(trial, service, "", "bucket");
      EXPECT_NE(outcome.kind, Outcome::Kind::kPassed) << trial.name;
      if (outcome.kind == Outcome::Kind::kFailed) {
        ++failed;
        EXPECT_THAT(outcome.detail, ::testing::HasSubstr(broken.why)) << trial.name;
      }
    }
    EXPECT_GT(failed, 0) << broken.call.name;
  }
}

}  // namespace
}  // namespace gcsflux::conformance
