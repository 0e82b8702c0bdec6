// The runner of retry scenarios: that it passes what is right is seen by running the files; here it fails what is
// wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curl_transport.h"
#include "gcsflux/emulator/emulator.h"
#include "retry_tests/run_trial.h"

namespace gcsflux::conformance {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

SdkCall CallOf(std::string_view name) {
  for (const SdkCall& call : SdkCalls()) {
    if (call.name == name) return call;
  }
  ADD_FAILURE() << name;
  return {};
}

/// Reads an object's metadata under these instructions, and is expected to succeed.
Trial GetUnder(std::vector<std::string> instructions) {
  return {.method = "storage.objects.get",
          .call = CallOf("GetObject"),
          .faults = {.instructions = std::move(instructions)},
          .with_object = true,
          .expect_success = true};
}

/// Reads an object's bytes while these rules hold, and is expected to succeed.
Trial ReadUnder(const char* rules) {
  return {.method = "storage.objects.get",
          .call = CallOf("ReadObject.String"),
          .faults = {.faults = Json::parse(rules)},
          .with_object = true,
          .expect_success = true};
}

class RetryTestsTest : public testing::Test {
 protected:
  Outcome Run(const Trial& trial) {
    CurlTransport transport(emulator_.endpoint(), "");
    const Service service{
        .transport = transport, .endpoint = emulator_.endpoint(), .project = "p", .sleep = [](std::chrono::seconds) {
          ADD_FAILURE() << "throttled";
        }};
    Outcome outcome = RunTrial(trial, service, "", "bucket");
    EXPECT_EQ(outcome.leftover, "");
    ExpectNothingLeft(transport);
    return outcome;
  }

  void ExpectFailure(const Trial& trial, const std::string& why) {
    const Outcome outcome = Run(trial);
    EXPECT_EQ(outcome.kind, Outcome::Kind::kFailed) << why;
    EXPECT_THAT(outcome.detail, HasSubstr(why));
  }

  void ExpectNothingLeft(CurlTransport& transport) {
    EXPECT_THAT(emulator_.retry_tests().List(), IsEmpty());
    EXPECT_THAT(emulator_.faults().Plan().rules, IsEmpty());
    const auto buckets = transport.Send({.method = "GET", .target = "/storage/v1/b?project=p"});
    ASSERT_TRUE(buckets) << buckets.error();
    EXPECT_THAT(buckets->body, testing::Not(HasSubstr("\"bucket")));
  }

  emulator::Emulator emulator_;
};

TEST_F(RetryTestsTest, ACallThatIsRepeatedPasses) {
  const Outcome outcome = Run(GetUnder({"return-503", "return-reset-connection"}));
  EXPECT_EQ(outcome.kind, Outcome::Kind::kPassed) << outcome.detail;
}

TEST_F(RetryTestsTest, FailsWhereTheCallFailsAndWasToSucceed) {
  ExpectFailure(GetUnder({"return-400"}), "the call failed: INVALID_ARGUMENT");
}

TEST_F(RetryTestsTest, FailsWhereTheCallSucceedsAndWasToFail) {
  Trial trial = GetUnder({"return-503"});
  trial.expect_success = false;
  ExpectFailure(trial, "the call succeeded, and was to fail");
}

TEST_F(RetryTestsTest, FailsWhereTheErrorIsAnother) {
  Trial trial = GetUnder({"return-400"});
  trial.expect_success = false;
  trial.expect_error = "CORRUPTED";
  ExpectFailure(trial, "was to fail with CORRUPTED, and failed with INVALID_ARGUMENT");
}

TEST_F(RetryTestsTest, FailsWhereAnInstructionWasNotMet) {
  // More than the answer has.
  ExpectFailure(GetUnder({"return-503", "return-broken-stream-after-1024K"}),
                R"(not completed, it has left {"storage.objects.get":["return-broken-stream-after-1024K"]})");
}

TEST_F(RetryTestsTest, FailsWhereARuleDidNotFire) {
  ExpectFailure(ReadUnder(R"([{"name": "first", "match": {"nth": 1}, "action": {"type": "status", "status": 503}},
                              {"name": "ninth", "match": {"nth": 9}, "action": {"type": "status", "status": 503}}])"),
                "rules that did not fire: ninth");
}

TEST_F(RetryTestsTest, FailsWhereOtherBytesAreRead) {
  // With matching hashes nobody but a judge who knows the bytes can tell.
  ExpectFailure(ReadUnder(R"([{"name": "flip", "action": {"type": "corrupt", "atByte": 7, "matchingHashes": true}}])"),
                "the call succeeded, but other bytes were read than are stored");
}

TEST_F(RetryTestsTest, FailsWhereACallOnlySaysThatItStored) {
  Trial trial{.method = "storage.objects.insert",
              .call = CallOf("UploadObject.Create"),
              .faults = {.instructions = {"return-503"}},
              .expect_success = true};
  trial.call.run = [](const Client& client, Scene& scene) {
    static_cast<void>(client.InsertObject(scene.new_object, {}));
    return Result<void>();
  };
  ExpectFailure(trial, "the call succeeded, but the object has 0 generations instead of 1");
}

TEST_F(RetryTestsTest, FailsWhereACallStoresTwice) {
  Trial trial{.method = "storage.objects.insert",
              .call = CallOf("UploadObject.Create"),
              .faults = {.instructions = {"return-broken-stream"}},
              .expect_success = true};
  trial.call.run = [](const Client& client, Scene& scene) {
    static_cast<void>(client.InsertObject(scene.new_object, AsBytes(UploadBytes())));
    return WithoutValue(client.InsertObject(scene.new_object, AsBytes(UploadBytes())));
  };
  ExpectFailure(trial, "the call succeeded, but the object has 2 generations instead of 1");
}

TEST_F(RetryTestsTest, SkipsWhatTheServiceDoesNotKnow) {
  for (const char* instruction : {"do-what-nobody-knows", "return-503-after-lunch"}) {
    const Outcome outcome = Run(GetUnder({instruction}));
    EXPECT_EQ(outcome.kind, Outcome::Kind::kSkipped);
    EXPECT_THAT(outcome.detail, HasSubstr(instruction));
  }
  EXPECT_EQ(Run(ReadUnder(R"([{"name": "new", "action": {"type": "burn"}}])")).kind, Outcome::Kind::kSkipped);
}

}  // namespace
}  // namespace gcsflux::conformance
