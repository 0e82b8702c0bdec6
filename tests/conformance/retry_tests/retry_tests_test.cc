// The runner of retry scenarios. The files show that it passes right results; here it fails wrong ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gcsflux/emulator/emulator.h"
#include "http/curl_transport.h"
#include "retry_tests/run_trial.h"

namespace gcsflux::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

SdkCall CallOf(std::string_view name) {
  for (const SdkCall& call : SdkCalls()) {
    if (call.name == name) return call;
  }
  ADD_FAILURE() << name;
  return {};
}

/// Reads an object's metadata under these instructions, and should succeed.
Trial GetUnder(std::vector<std::string> instructions) {
  return {.method = "storage.objects.get",
          .call = CallOf("GetObject"),
          .faults = {.instructions = std::move(instructions)},
          .with_object = true,
          .expect_success = true};
}

/// Stores an object under these instructions, and should succeed.
Trial UploadUnder(std::vector<std::string> instructions) {
  return {.method = "storage.objects.insert",
          .call = CallOf("UploadObject.Create"),
          .faults = {.instructions = std::move(instructions)},
          .expect_success = true,
          .expect_effect = ExpectedEffect::kOnce};
}

/// Reads an object's bytes under these rules, and should succeed.
Trial ReadUnder(const char* rules) {
  return {.method = "storage.objects.get",
          .call = CallOf("ReadObject.String"),
          .faults = {.faults = Json::parse(rules)},
          .with_object = true,
          .expect_success = true,
          .expect_effect = ExpectedEffect::kOnce};
}

class RetryTestsTest : public ::testing::Test {
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
    EXPECT_THAT(buckets->body, ::testing::Not(HasSubstr("\"bucket")));
  }

  emulator::Emulator emulator_;
};

TEST_F(RetryTestsTest, PassesForARetriedCall) {
  const Outcome outcome = Run(GetUnder({"return-503", "return-reset-connection"}));
  EXPECT_EQ(outcome.kind, Outcome::Kind::kPassed) << outcome.detail;
}

TEST_F(RetryTestsTest, FailsIfTheCallShouldSucceedButFails) {
  ExpectFailure(GetUnder({"return-400"}), "the call failed: INVALID_ARGUMENT");
}

TEST_F(RetryTestsTest, FailsIfTheCallShouldFailButSucceeds) {
  Trial trial = GetUnder({"return-503"});
  trial.expect_success = false;
  ExpectFailure(trial, "the call succeeded, and was to fail");
}

TEST_F(RetryTestsTest, FailsForAnotherError) {
  Trial trial = GetUnder({"return-400"});
  trial.expect_success = false;
  trial.expect_error = "CORRUPTED";
  ExpectFailure(trial, "was to fail with CORRUPTED, and failed with INVALID_ARGUMENT");
}

TEST_F(RetryTestsTest, FailsIfAnInstructionWasNotUsed) {
  // More than the answer has.
  ExpectFailure(GetUnder({"return-503", "return-broken-stream-after-1024K"}),
                R"(not completed, it has left {"storage.objects.get":["return-broken-stream-after-1024K"]})");
}

TEST_F(RetryTestsTest, FailsIfARuleDidNotFire) {
  ExpectFailure(ReadUnder(R"([{"name": "first", "match": {"nth": 1}, "action": {"type": "status", "status": 503}},
                              {"name": "ninth", "match": {"nth": 9}, "action": {"type": "status", "status": 503}}])"),
                "rules that did not fire: ninth");
}

TEST_F(RetryTestsTest, FailsIfOtherBytesAreRead) {
  // With matching hashes, only a judge that knows the bytes can tell.
  ExpectFailure(ReadUnder(R"([{"name": "flip", "action": {"type": "corrupt", "atByte": 7, "matchingHashes": true}}])"),
                "the call ended as expected, but other bytes were read than are stored");
}

TEST_F(RetryTestsTest, FailsIfASuccessfulCallStoredNothing) {
  Trial trial = UploadUnder({"return-503"});
  trial.call.run = [](const Client& client, Scene& scene) {
    static_cast<void>(client.InsertObject(scene.new_object, {}));
    return Result<void>();
  };
  ExpectFailure(trial, "the call ended as expected, but the object has 0 generations instead of 1");
}

TEST_F(RetryTestsTest, FailsIfACallStoresTwice) {
  Trial trial = UploadUnder({"return-broken-stream"});
  trial.call.run = [](const Client& client, Scene& scene) {
    static_cast<void>(client.InsertObject(scene.new_object, AsBytes(UploadBytes())));
    return WithoutValue(client.InsertObject(scene.new_object, AsBytes(UploadBytes())));
  };
  ExpectFailure(trial, "the call ended as expected, but the object has 2 generations instead of 1");
}

TEST_F(RetryTestsTest, FailsIfAFailedCallChangedSomething) {
  struct Case {
    const char* method;
    const char* call;
    const char* why;
  };
  constexpr auto kLostThenRefused = R"([{"name": "lost", "match": {"nth": 1}, "action": {"type": "loseAnswer"}},
                                        {"name": "refused", "match": {"nth": 2}, "action": {"type": "status", "status": 400}}])";
  const Case cases[] = {
      {"storage.objects.insert", "InsertObject", "/o/new is 200 instead of 404"},
      {"storage.objects.copy", "CopyObject", "/o/new is 200 instead of 404"},
      {"storage.objects.patch", "PatchObject", "the metageneration is 2 instead of 1"},
      {"storage.buckets.insert", "InsertBucket", "bucket-new is 200 instead of 404"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.call);
    Trial trial{.method = each.method,
                .call = CallOf(each.call),
                .faults = {.faults = Json::parse(kLostThenRefused)},
                .with_object = true,
                .with_precondition = true,
                .expect_effect = ExpectedEffect::kNone};
    ExpectFailure(trial, each.why);
  }
}

TEST_F(RetryTestsTest, FailsIfAFailedCallLacksItsExpectedEffect) {
  Trial trial = UploadUnder({"return-400"});
  trial.expect_success = false;
  ExpectFailure(trial, "the object has 0 generations instead of 1");
}

TEST_F(RetryTestsTest, SkipsUnknownInstructions) {
  for (const char* instruction : {"do-what-is-unknown", "return-503-after-lunch"}) {
    const Outcome outcome = Run(GetUnder({instruction}));
    EXPECT_EQ(outcome.kind, Outcome::Kind::kSkipped);
    EXPECT_THAT(outcome.detail, HasSubstr(instruction));
  }
  EXPECT_EQ(Run(ReadUnder(R"([{"name": "new", "action": {"type": "burn"}}])")).kind, Outcome::Kind::kSkipped);
}

}  // namespace
}  // namespace gcsflux::conformance
