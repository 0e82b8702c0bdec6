// Every operation of the client, with the precondition that makes it idempotent, under transient failures, permanent
// ones, and a lost answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <ostream>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"

namespace gcsflux {
namespace {

using emulator::FaultAction;
using std::chrono::milliseconds;

template <class T>
std::optional<Error> ErrorOf(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error());
}

struct Operation {
  std::string name;
  /// Its result for a retry after a lost answer: its own success fails the precondition of a conditional write, which
  /// is reported unchanged.
  std::optional<ErrorCode> after_lost_answer;
  std::function<std::optional<Error>(const Client&)> run;
};

void PrintTo(const Operation& operation, std::ostream* out) { *out << operation.name; }

const ObjectName kObject{"bkt", "object"};
const ObjectName kNew{"bkt", "new"};

std::vector<Operation> Operations() {
  constexpr auto kGuarded = ErrorCode::kPreconditionFailed;
  return {
      {"storage.buckets.insert", {}, [](const Client& c) { return ErrorOf(c.InsertBucket("other")); }},
      {"storage.buckets.get", {}, [](const Client& c) { return ErrorOf(c.GetBucket("bkt")); }},
      {"storage.buckets.list", {}, [](const Client& c) { return ErrorOf(c.ListBuckets()); }},
      {"storage.buckets.delete", {}, [](const Client& c) { return ErrorOf(c.DeleteBucket("empty")); }},
      {"storage.buckets.testIamPermissions",
       {},
       [](const Client& c) { return ErrorOf(c.TestBucketPermissions("bkt", {"storage.objects.get"})); }},
      {"storage.objects.get", {}, [](const Client& c) { return ErrorOf(c.GetObject(kObject)); }},
      {"storage.objects.list", {}, [](const Client& c) { return ErrorOf(c.ListObjects({"bkt"})); }},
      {"storage.objects.insert", kGuarded,
       [](const Client& c) {
         return ErrorOf(c.InsertObject(kNew, AsBytes("x"), {.preconditions = {.if_generation_match = 0}}));
       }},
      {"storage.objects.patch", kGuarded,
       [](const Client& c) {
         return ErrorOf(
             c.PatchObject(kObject, {.cache_control = "no-store"}, {.preconditions = {.if_metageneration_match = 1}}));
       }},
      {"storage.objects.update", kGuarded,
       [](const Client& c) {
         return ErrorOf(c.UpdateObject(kObject, {}, {.preconditions = {.if_metageneration_match = 1}}));
       }},
      {"storage.objects.compose", kGuarded,
       [](const Client& c) {
         return ErrorOf(c.ComposeObjects({{"object"}}, kNew, {.preconditions = {.if_generation_match = 0}}));
       }},
      {"storage.objects.copy", kGuarded,
       [](const Client& c) {
         return ErrorOf(c.CopyObject(kObject, kNew, {.preconditions = {.if_generation_match = 0}}));
       }},
      {"storage.objects.rewrite", kGuarded,
       [](const Client& c) {
         return ErrorOf(c.RewriteObject(kObject, kNew, {.preconditions = {.if_generation_match = 0}}));
       }},
      {"storage.objects.move", ErrorCode::kNotFound,  // The source, which is checked first.
       [](const Client& c) {
         return ErrorOf(c.MoveObject(kObject, kNew, {.preconditions = {.if_generation_match = 0}}));
       }},
      {"storage.objects.delete",
       {},
       [](const Client& c) {
         const auto found = c.ListObjects({"bkt"});
         return ErrorOf(c.DeleteObject(kObject, {.generation = found->objects.at(0).generation}));
       }},
  };
}

class OperationFaultsTest : public ::testing::TestWithParam<Operation> {
 protected:
  // The service remembers no tokens unless enabled.
  explicit OperationFaultsTest(std::chrono::nanoseconds window = {}) : emulator_({.idempotency_window = window}) {}

  // A new store, in which the operation's first request has the fault; then the operation.
  std::optional<Error> RunUnder(const FaultAction& action) {
    emulator_.Reset();
    client_ = *Client::Create(
        {.endpoint = emulator_.endpoint(),
         .project = "p",
         .retry = RetryPolicies::All({.initial_delay = milliseconds(1), .max_delay = milliseconds(4)})});
    EXPECT_TRUE(client_->InsertBucket("bkt").ok());
    EXPECT_TRUE(client_->InsertBucket("empty").ok());
    EXPECT_TRUE(client_->InsertObject(kObject, AsBytes("bytes")).ok());
    const auto before = emulator_.journal().back().number;
    emulator_.faults().Load(
        {.rules = {{.name = "it", .match = {.operation = GetParam().name}, .action = action, .limits = {.count = 1}}}});
    auto error = GetParam().run(*client_);
    EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
    emulator_.faults().Clear();
    requests_ = 0;
    for (const auto& record : emulator_.journal()) {
      requests_ += record.number > before && record.operation == GetParam().name;
    }
    return error;
  }

  emulator::Emulator emulator_;
  std::optional<Client> client_;
  int requests_ = 0;  // of the operation
};

TEST_P(OperationFaultsTest, RetriesTransientFailures) {
  std::vector<FaultAction> actions = {{.type = "reset"}, {.type = "htmlError", .status = 502}};
  for (const std::uint64_t status : {408U, 429U, 500U, 502U, 503U, 504U}) {
    actions.push_back({.type = "status", .status = status});
  }
  for (const FaultAction& action : actions) {
    SCOPED_TRACE(action.type + " " + std::to_string(action.status.value_or(0)));
    const auto error = RunUnder(action);
    EXPECT_FALSE(error) << error->message;
    EXPECT_EQ(requests_, 2);
    EXPECT_LE(emulator::FindCommits(emulator_.journal(), "bkt", "new").size(), 1U);
  }
}

TEST_P(OperationFaultsTest, ReportsPermanentFailuresAtOnce) {
  const std::pair<std::uint64_t, ErrorCode> cases[] = {{400, ErrorCode::kInvalidArgument},
                                                       {401, ErrorCode::kUnauthenticated},
                                                       {403, ErrorCode::kPermissionDenied},
                                                       {404, ErrorCode::kNotFound},
                                                       {412, ErrorCode::kPreconditionFailed}};
  for (const auto& [status, code] : cases) {
    SCOPED_TRACE(status);
    const auto error = RunUnder({.type = "status", .status = status});
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code, code) << error->message;
    EXPECT_EQ(requests_, 1);
  }
}

TEST_P(OperationFaultsTest, TakesEffectOnceAfterALostAnswer) {
  const auto error = RunUnder({.type = "loseAnswer"});
  EXPECT_EQ(error ? std::optional(error->code) : std::nullopt, GetParam().after_lost_answer)
      << (error ? error->message : "");
  EXPECT_GE(requests_, 2);
  EXPECT_LE(emulator::FindCommits(emulator_.journal(), "bkt", "new").size(), 1U);
}

class RememberedOperationsTest : public OperationFaultsTest {
 protected:
  RememberedOperationsTest() : OperationFaultsTest(emulator::EmulatorOptions().idempotency_window) {}
};

TEST_P(RememberedOperationsTest, RepeatTheirLostAnswer) {
  const auto error = RunUnder({.type = "loseAnswer"});
  EXPECT_FALSE(error) << error->message;
  EXPECT_GE(requests_, 2);
  EXPECT_LE(emulator::FindCommits(emulator_.journal(), "bkt", "new").size(), 1U);
}

std::string NameOf(const ::testing::TestParamInfo<Operation>& operation) {
  std::string name = operation.param.name;
  std::erase(name, '.');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Each, OperationFaultsTest, ::testing::ValuesIn(Operations()), NameOf);
INSTANTIATE_TEST_SUITE_P(Each, RememberedOperationsTest, ::testing::ValuesIn(Operations()), NameOf);

}  // namespace
}  // namespace gcsflux
