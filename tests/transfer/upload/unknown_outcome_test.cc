// The outcome in an error of a write: stored, not stored or unknown, for any code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <stop_token>
#include <string>

#include "gcsflux/upload.h"
#include "support/fake_gcs.h"
#include "support/result.h"
#include "support/upload_case.h"

namespace gcsflux {
namespace {

using testing::ErrorOf;
using testing::Fault;
using ::testing::HasSubstr;
using testing::kChunk;
using testing::kObject;
using testing::kReset;
using testing::Pattern;

const Error kRefused{ErrorCode::kUnreachable, "connection refused"};

struct WriteCase {
  std::string name;
  std::size_t commit = 0;  ///< The request that makes the object, from 0.
  std::function<Error(const Client&)> run = {};
};

void PrintTo(const WriteCase& one, std::ostream* out) { *out << one.name; }

Error StoreBytes(const Client& client, std::size_t size, UploadOptions options = {}) {
  const std::string bytes = Pattern(size);
  options.chunk_bytes = kChunk;
  return ErrorOf(UploadObject(client, kObject, AsBytes(bytes), options));
}

const WriteCase kWrites[] = {
    {"OneRequest", 0, [](const Client& client) { return StoreBytes(client, 7); }},
    {"Session", 2, [](const Client& client) { return StoreBytes(client, kChunk + 7); }},
    {"Stream", 2,
     [](const Client& client) {
       ObjectWriter writer(client, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
       const std::string bytes = Pattern(kChunk + 7);
       EXPECT_TRUE(writer.Write(AsBytes(bytes)).ok());
       return ErrorOf(writer.Close());
     }},
};

class UnknownOutcomeTest : public ::testing::TestWithParam<WriteCase> {
 protected:
  // The commit has the first fault, and the next requests the others.
  Error Run(std::initializer_list<Fault> faults, const RetryOptions& retry = {}) {
    gcs_.faults.assign(GetParam().commit, {});
    gcs_.faults.insert(gcs_.faults.end(), faults);
    const Client client = testing::MakeClient(gcs_, retry);
    const Error error = GetParam().run(client);
    EXPECT_TRUE(gcs_.faults.empty());
    return error;
  }
  [[nodiscard]] bool has_session() const { return GetParam().commit != 0; }

  testing::FakeGcs gcs_;
};

TEST_P(UnknownOutcomeTest, IsReportedIfTheReadBackIsRefused) {
  for (const int status : {400, 401, 403}) {
    gcs_.objects.clear();
    const Error error = has_session() ? Run({{.after = kReset}, {.status = 404}, {.status = status}})
                                      : Run({{.after = kReset}, {.status = status}});
    EXPECT_EQ(error.http_status, status) << error.message;
    EXPECT_EQ(error.outcome, WriteOutcome::kUnknown) << error.message;
    EXPECT_THAT(error.message, HasSubstr("an earlier attempt, whose answer was lost, may have taken effect"));
    EXPECT_TRUE(gcs_.objects.contains("o"));
  }
}

TEST_P(UnknownOutcomeTest, IsReportedIfTheNextAttemptIsRefused) {
  const Error error = Run({{.before = kReset}, {}, {.status = 403}});
  EXPECT_EQ(error.code, ErrorCode::kPermissionDenied) << error.message;
  // A session that tells its position is not complete.
  EXPECT_EQ(error.outcome, has_session() ? WriteOutcome::kNotStored : WriteOutcome::kUnknown) << error.message;
}

TEST_P(UnknownOutcomeTest, IsReportedIfNoAttemptIsLeft) {
  for (const Fault& fault : {Fault{.after = kReset}, Fault{.before = kReset}, Fault{.status = 503}}) {
    gcs_.objects.clear();
    EXPECT_EQ(Run({fault}, {.max_attempts = 1}).outcome, WriteOutcome::kUnknown);
  }
}

TEST_P(UnknownOutcomeTest, IsReportedIfTheCallerStops) {
  const Error error = Run({{.after = Error{ErrorCode::kCancelled, "cancelled"}}});
  EXPECT_EQ(error.code, ErrorCode::kCancelled);
  EXPECT_EQ(error.outcome, WriteOutcome::kUnknown);
}

TEST_P(UnknownOutcomeTest, IsNotReportedForARefusal) {
  for (const int status : {400, 401, 403, 412}) {
    EXPECT_EQ(Run({{.status = status}}).outcome, WriteOutcome::kNotStored) << status;
  }
  EXPECT_EQ(Run({{.before = kRefused}}, {.max_attempts = 1}).outcome, WriteOutcome::kNotStored);
  EXPECT_TRUE(gcs_.objects.empty());
}

INSTANTIATE_TEST_SUITE_P(Each, UnknownOutcomeTest, ::testing::ValuesIn(kWrites),
                         [](const auto& one) { return one.param.name; });

TEST(WriteOutcomeOfASession, IsNotStoredBeforeTheLastPiece) {
  testing::FakeGcs gcs;
  const Client client = testing::MakeClient(gcs, {.max_attempts = 1});
  for (const std::size_t request : {0, 1}) {
    gcs.faults.assign(request, {});
    gcs.faults.push_back({.after = kReset});
    EXPECT_EQ(StoreBytes(client, kChunk + 7).outcome, WriteOutcome::kNotStored) << request;
    EXPECT_TRUE(gcs.faults.empty());
  }
}

TEST(WriteOutcomeOfASession, IsUnknownAfterResumingACompleteSession) {
  testing::FakeGcs gcs;
  const Client client = testing::MakeClient(gcs, {.max_attempts = 1});
  ObjectWriter first(client, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
  const std::string bytes = Pattern(kChunk + 7);
  ASSERT_TRUE(first.Write(AsBytes(bytes)).ok());
  gcs.faults = {{.after = kReset}};
  EXPECT_EQ(ErrorOf(first.Close()).outcome, WriteOutcome::kUnknown);
  const auto state = first.Suspend();
  ASSERT_TRUE(state.ok()) << state.error().message;
  for (const int status : {403, 404}) {
    gcs.faults = {{.status = status}};
    EXPECT_EQ(ErrorOf(ObjectWriter::Resume(client, *state)).outcome, WriteOutcome::kUnknown) << status;
  }
}

// The caller's condition fails for each attempt, including a late one.
TEST(WriteOutcomeOfACondition, IsNotStoredIfAnOlderObjectFailsIt) {
  testing::FakeGcs gcs;
  gcs.Put("o", "old");
  gcs.now += std::chrono::hours(1);
  gcs.faults = {{.before = kReset}};
  const Error error = StoreBytes(testing::MakeClient(gcs), 7, {.mode = WriteMode::kCreate});
  EXPECT_EQ(error.code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(error.outcome, WriteOutcome::kNotStored);
}

TEST(WriteOutcomeOfACondition, IsUnknownIfANewerObjectFailsIt) {
  testing::FakeGcs gcs;
  gcs.faults = {{.before = kReset}};
  gcs.on_request = [&] {
    if (gcs.requests.size() == 2) gcs.Put("o", "a rival's");
  };
  const Error error = StoreBytes(testing::MakeClient(gcs), 7, {.mode = WriteMode::kCreate});
  EXPECT_EQ(error.code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(error.outcome, WriteOutcome::kUnknown);
}

TEST(WriteOutcomeOfACall, IsUnknownIfItsAnswerIsLostOrUnreadable) {
  testing::FakeGcs gcs;
  gcs.Put("o", "bytes");
  const Client client = testing::MakeClient(gcs);
  const Error not_http{ErrorCode::kBadResponse, "the peer does not speak HTTP"};
  for (const Fault& fault : {Fault{.after = kReset}, Fault{.after = not_http}, Fault{.status = 200}}) {
    gcs.faults = {fault};
    const Error error = ErrorOf(client.InsertObject(kObject, AsBytes(std::string("new"))));
    EXPECT_EQ(error.outcome, WriteOutcome::kUnknown) << error.message;
    EXPECT_TRUE(gcs.faults.empty());
  }
  gcs.faults = {{.after = kReset}};
  EXPECT_EQ(ErrorOf(client.DeleteObject(kObject)).outcome, WriteOutcome::kUnknown);
}

TEST(WriteOutcomeOfACall, IsNotStoredForReads) {
  testing::FakeGcs gcs;
  gcs.faults = {{.before = kReset}};
  const Client client = testing::MakeClient(gcs, {.max_attempts = 1});
  EXPECT_EQ(ErrorOf(client.GetObject(kObject)).outcome, WriteOutcome::kNotStored);
  EXPECT_TRUE(gcs.faults.empty());
}

}  // namespace
}  // namespace gcsflux
