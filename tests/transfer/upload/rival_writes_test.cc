// Rivals that write under the same name while the answer to an upload is lost: their writes are never undone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "gcsflux/upload.h"
#include "support/fails_with.h"
#include "support/fake_gcs.h"
#include "support/result.h"
#include "support/upload_case.h"

namespace gcsflux {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::Fault;
using ::testing::HasSubstr;
using testing::kChunk;
using testing::kObject;
using testing::kReset;
using testing::Pattern;

struct Way {
  std::string name;
  std::size_t size = 0;
  std::size_t last_request = 0;  ///< The one that commits, from 0.
  std::function<Result<ObjectMetadata>(const Client&, const std::string& bytes)> store = {};
  bool can_be_sent_again = true;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

Result<ObjectMetadata> Whole(const Client& client, const std::string& bytes) {
  return UploadObject(client, kObject, AsBytes(bytes), {.chunk_bytes = kChunk});
}

Result<ObjectMetadata> Streamed(const Client& client, const std::string& bytes) {
  ObjectWriter writer(client, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
  if (auto written = writer.Write(AsBytes(bytes)); !written) return written.error();
  return writer.Close();
}

const Way kOneRequest{"one request", 7, 0, Whole};
const Way kSession{"session", kChunk + 7, 2, Whole};
const Way kStream{"stream", kChunk + 7, 2, Streamed, false};
const Way kShortStream{"short stream", 7, 0, Streamed};

class RivalWritesTest : public ::testing::TestWithParam<Way> {
 protected:
  // The commit has `fault`; if it uses a session, that is lost afterwards.
  void FailCommit(const Fault& fault) {
    gcs_.faults.assign(GetParam().last_request, {});
    gcs_.faults.push_back(fault);
    if (is_session()) gcs_.faults.push_back({.status = 404});
  }
  // `act` happens before the client's first read-back of the object.
  void BeforeFirstLook(std::function<void()> act) {
    gcs_.on_request = [this, act = std::move(act), is_done = false]() mutable {
      if (gcs_.requests.back().method == internal::Method::kGet && !std::exchange(is_done, true)) act();
    };
  }
  [[nodiscard]] bool is_session() const { return GetParam().last_request != 0; }
  Result<ObjectMetadata> Store() { return GetParam().store(client_, bytes_); }
  void ExpectUnknown(const Result<ObjectMetadata>& stored) {
    EXPECT_TRUE(testing::FailsWith(stored, ErrorCode::kOutcomeUnknown, HasSubstr("may have been stored and replaced")));
    EXPECT_TRUE(gcs_.faults.empty());
  }

  const std::string bytes_ = Pattern(GetParam().size);
  testing::FakeGcs gcs_;
  Client client_ = testing::MakeClient(gcs_);
};

TEST_P(RivalWritesTest, AreNotUndoneAfterALostAnswer) {
  for (const bool has_date : {true, false}) {
    gcs_.has_date = has_date;
    gcs_.Put("o", "old");
    gcs_.now += hours(1);
    FailCommit({.after = kReset});
    BeforeFirstLook([this] { gcs_.Put("o", "a rival's"); });
    ExpectUnknown(Store());
    EXPECT_EQ(gcs_.objects["o"].bytes, "a rival's");
  }
}

TEST_P(RivalWritesTest, AreNotUndoneAfterA503) {
  gcs_.Put("o", "old");
  gcs_.now += hours(1);
  FailCommit({.after_status = 503});
  BeforeFirstLook([this] { gcs_.Put("o", "a rival's"); });
  ExpectUnknown(Store());
  EXPECT_EQ(gcs_.objects["o"].bytes, "a rival's");
}

TEST_P(RivalWritesTest, AreNotUndoneIfOursNeverArrived) {
  FailCommit({.before = kReset});
  BeforeFirstLook([this] { gcs_.Put("o", "a rival's"); });
  ExpectUnknown(Store());
  EXPECT_EQ(gcs_.objects["o"].bytes, "a rival's");
}

TEST_P(RivalWritesTest, AreNotUndoneIfTheirAgeIsUnknown) {
  gcs_.Put("o", "new just now");
  gcs_.now += seconds(1);
  FailCommit({.before = kReset});
  ExpectUnknown(Store());
  EXPECT_EQ(gcs_.objects["o"].bytes, "new just now");
}

TEST_P(RivalWritesTest, AreNotSearchedIfOursIsThere) {
  for (const Fault& fault : {Fault{.after = kReset}, Fault{.after_status = 503}}) {
    gcs_.Put("o", "old");
    gcs_.now += hours(1);
    gcs_.commits = 0;
    FailCommit(fault);
    const auto stored = Store();
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    EXPECT_EQ(stored->generation, gcs_.objects["o"].generation);
    EXPECT_EQ(gcs_.commits, 1);
    EXPECT_TRUE(gcs_.faults.empty());
  }
}

TEST_P(RivalWritesTest, AreDistinguishedFromTheOldObject) {
  gcs_.Put("o", "old");
  const std::string old = std::to_string(gcs_.objects["o"].generation);
  gcs_.now += hours(1);
  FailCommit({.before = kReset});
  const auto stored = Store();
  EXPECT_TRUE(gcs_.faults.empty());
  if (!GetParam().can_be_sent_again) {
    ASSERT_TRUE(testing::FailsWith(stored, ErrorCode::kSessionLost));
    EXPECT_EQ(gcs_.objects["o"].bytes, "old");
    return;
  }
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_TRUE(gcs_.objects["o"].bytes == bytes_);
  std::string conditions;
  for (const auto& request : gcs_.requests) conditions += request.url + "\n";
  EXPECT_THAT(conditions, HasSubstr("ifGenerationMatch=" + old));
}

INSTANTIATE_TEST_SUITE_P(Each, RivalWritesTest, ::testing::Values(kOneRequest, kSession, kStream, kShortStream),
                         [](const auto& way) {
                           std::string name = way.param.name;
                           std::erase(name, ' ');
                           return name;
                         });

class SecondLookTest : public ::testing::Test {
 protected:
  // Before the nth request, from 1.
  void Before(std::size_t number, std::function<void()> act) {
    gcs_.on_request = [this, number, act = std::move(act)] {
      if (gcs_.requests.size() == number) act();
    };
  }
  void PutOld() {
    gcs_.Put("o", "old");
    gcs_.now += hours(1);
  }
  // As a late attempt of the same call does it.
  void PutOurs(const std::string& bytes) {
    gcs_.Put("o", bytes);
    gcs_.objects["o"].content_type = ObjectAttributes().content_type;
  }
  Result<ObjectMetadata> Store(const UploadOptions& options = {}) {
    return UploadObject(client_, kObject, AsBytes("ours"), options);
  }

  testing::FakeGcs gcs_;
  Client client_ = testing::MakeClient(gcs_);
};

// Insert (lost), read-back, insert under a condition.
TEST_F(SecondLookTest, FindsARivalsWriteSinceTheFirst) {
  PutOld();
  gcs_.faults = {{.before = kReset}};
  Before(3, [this] { gcs_.Put("o", "a rival's"); });
  EXPECT_TRUE(testing::FailsWith(Store(), ErrorCode::kOutcomeUnknown));
  EXPECT_EQ(gcs_.objects["o"].bytes, "a rival's");
}

TEST_F(SecondLookTest, FindsARivalsDeletion) {
  PutOld();
  gcs_.faults = {{.before = kReset}};
  Before(3, [this] { gcs_.objects.clear(); });
  EXPECT_TRUE(testing::FailsWith(Store(), ErrorCode::kOutcomeUnknown));
  EXPECT_TRUE(gcs_.objects.empty());
}

// The first attempt is carried out only after the read-back: its commit, not a rival's, fails the condition.
TEST_F(SecondLookTest, FindsOurLateWrite) {
  for (const WriteMode mode : {WriteMode::kOverwrite, WriteMode::kReplace, WriteMode::kCreate}) {
    gcs_.objects.clear();
    gcs_.requests.clear();
    if (mode != WriteMode::kCreate) PutOld();
    gcs_.commits = 0;
    gcs_.faults = {{.before = kReset}};
    Before(3, [this] { PutOurs("ours"); });
    const auto stored =
        Store({.mode = mode, .generation = gcs_.objects.contains("o") ? gcs_.objects["o"].generation : 0});
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    EXPECT_EQ(gcs_.commits, 1);
    EXPECT_EQ(stored->generation, gcs_.objects["o"].generation);
  }
}

TEST_F(SecondLookTest, ReturnsTheErrorOfACallersCondition) {
  for (const WriteMode mode : {WriteMode::kReplace, WriteMode::kCreate}) {
    gcs_.objects.clear();
    gcs_.requests.clear();
    if (mode == WriteMode::kReplace) PutOld();
    const std::int64_t generation = mode == WriteMode::kReplace ? gcs_.objects["o"].generation : 0;
    gcs_.faults = {{.before = kReset}};
    Before(3, [this] { gcs_.Put("o", "a rival's"); });
    EXPECT_TRUE(testing::FailsWith(Store({.mode = mode, .generation = generation}), ErrorCode::kPreconditionFailed));
    EXPECT_EQ(gcs_.objects["o"].bytes, "a rival's");
  }
}

// Start, chunk, last piece (lost), 404, read-back, start, chunk, last piece under a condition.
TEST_F(SecondLookTest, FindsARivalAfterALostSession) {
  PutOld();
  const std::string bytes = Pattern(kChunk + 7);
  gcs_.faults = {{}, {}, {.before = kReset}, {.status = 404}, {}, {}, {}, {.status = 412}};
  Before(8, [this] { gcs_.Put("o", "a rival's"); });
  EXPECT_TRUE(testing::FailsWith(UploadObject(client_, kObject, AsBytes(bytes), {.chunk_bytes = kChunk}),
                                 ErrorCode::kOutcomeUnknown));
  EXPECT_TRUE(gcs_.faults.empty());
  EXPECT_EQ(gcs_.objects["o"].bytes, "a rival's");
}

TEST_F(SecondLookTest, FindsOurLateWriteAfterALostSession) {
  PutOld();
  const std::string bytes = Pattern(kChunk + 7);
  gcs_.faults = {{}, {}, {.before = kReset}, {.status = 404}, {}, {.status = 412}};  // The read-back at the start.
  Before(6, [&] { PutOurs(bytes); });
  gcs_.commits = 0;
  const auto stored = UploadObject(client_, kObject, AsBytes(bytes), {.chunk_bytes = kChunk});
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_TRUE(gcs_.faults.empty());
  EXPECT_EQ(gcs_.commits, 1);
}

// A complete session may answer with the live object, and a rival's object often has the same size.
TEST_F(SecondLookTest, DeletesNoRivalsObjectAfterALostSession) {
  const std::string bytes = Pattern(kChunk + 7);
  const std::string rivals(bytes.size(), 'r');
  for (const Way& way : {kSession, kStream}) {
    gcs_.requests.clear();
    gcs_.objects.clear();
    gcs_.faults = {{}, {}, {.after = kReset}};
    Before(4, [&] { gcs_.Put("o", rivals); });
    const auto stored = way.store(client_, bytes);
    EXPECT_EQ(testing::ErrorOf(stored).code, ErrorCode::kOutcomeUnknown) << testing::ErrorOf(stored).message;
    EXPECT_TRUE(gcs_.faults.empty());
    ASSERT_TRUE(gcs_.objects.contains("o")) << way.name;
    EXPECT_EQ(gcs_.objects["o"].bytes, rivals) << way.name;
  }
}

// The first writer's commit may have been the end of the session that the second one asks for.
TEST_F(SecondLookTest, DoesNotClaimAnEarlierWritersCommit) {
  Client once = testing::MakeClient(gcs_, {.max_attempts = 1});
  ObjectWriter first(once, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
  ASSERT_TRUE(first.Write(AsBytes(Pattern(kChunk + 7))).ok());
  gcs_.faults = {{.after = kReset}};
  EXPECT_EQ(testing::ErrorOf(first.Close()).code, ErrorCode::kUnavailable);
  const auto state = first.Suspend();
  ASSERT_TRUE(state.ok()) << state.error().message;
  gcs_.faults = {{.status = 404}};
  EXPECT_TRUE(testing::FailsWith(ObjectWriter::Resume(client_, *state), ErrorCode::kOutcomeUnknown));
}

}  // namespace
}  // namespace gcsflux
