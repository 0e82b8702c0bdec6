// Rivals that write under the name of an upload by parts while the answer to its completion is lost; and the requests
// of uploads without failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gcsflux/emulator/emulator.h"
#include "gcsflux/events.h"
#include "gcsflux/upload.h"
#include "support/fails_with.h"
#include "support/load_fault.h"
#include "support/result.h"
#include "support/upload_in_parts.h"

namespace gcsflux {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kRivalBucket = "my-bucket";
const ObjectName kContested{kRivalBucket, "o"};

// Acts before a retry: the answer is lost, and nothing more is sent yet.
class BeforeRepetition : public EventListener {
 public:
  void OnEvent(const Event& event) override {
    if (event.kind == EventKind::kRetry && act) std::exchange(act, nullptr)();
  }
  std::function<void()> act = {};
};

class RivalPartsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(MakeClient().InsertBucket(kRivalBucket)); }

  [[nodiscard]] Client MakeClient() const {
    return *Client::Create({.endpoint = emulator_.endpoint(),
                            .project = "p",
                            .retry = RetryPolicies::All({.initial_delay = milliseconds(1)}),
                            .event_listener = listener_});
  }
  // The operation runs; its answer is lost.
  void LoseCompletion() { testing::LoadFault(emulator_, "it", {.phase = "complete"}, {.type = "loseAnswer"}, 1); }
  void PutOld() {
    ASSERT_TRUE(rival_.InsertObject(kContested, AsBytes("old")).ok());
    emulator_.clock().Advance(hours(1));
  }
  Result<ObjectMetadata> Store() {
    auto stored = testing::UploadInParts(MakeClient(), kContested, AsBytes("ours"));
    EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
    return stored;
  }
  std::string Stored() const { return *rival_.ReadObject(kContested); }

  // It forgets: otherwise a retried completion would receive the first answer.
  emulator::Emulator emulator_{{.idempotency_window = std::chrono::seconds(0)}};
  const std::shared_ptr<BeforeRepetition> listener_ = std::make_shared<BeforeRepetition>();
  const Client rival_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
};

TEST_F(RivalPartsTest, FindsALostCompletion) {
  PutOld();
  LoseCompletion();
  const auto stored = Store();
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(Stored(), "ours");
}

TEST_F(RivalPartsTest, KeepsARivalsObjectAndReportsUnknown) {
  PutOld();
  LoseCompletion();
  listener_->act = [this] { ASSERT_TRUE(rival_.InsertObject(kContested, AsBytes("a rival's")).ok()); };
  EXPECT_TRUE(testing::FailsWith(Store(), ErrorCode::kOutcomeUnknown));
  EXPECT_EQ(Stored(), "a rival's");
}

// The service does not show an object under another key to a request with this one: it answers 400.
TEST_F(RivalPartsTest, KeepsARivalsEncryptedObjectAndReportsUnknown) {
  const auto key = [](char c) { return *EncryptionKey::FromBytes(AsBytes(std::string(32, c))); };
  const UploadOptions options{.encryption_key = key('o')};
  PutOld();
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.insert"}, {.type = "loseAnswer"}, 1);
  listener_->act = [&] {
    const auto stored = rival_.InsertObject(kContested, AsBytes("a rival's"), {.encryption_key = key('r')});
    ASSERT_TRUE(stored.ok()) << stored.error().message;
  };
  const auto stored = UploadObject(MakeClient(), kContested, AsBytes("ours"), options);
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  EXPECT_EQ(testing::ErrorOf(stored).code, ErrorCode::kOutcomeUnknown) << testing::ErrorOf(stored).message;
  EXPECT_EQ(testing::ValueOf(rival_.ReadObject(kContested, {.encryption_key = key('r')})), "a rival's");
}

// No attempt of this call can have stored it, so the same bytes under the name are another's.
TEST_F(RivalPartsTest, FailsForAMissingUploadDespiteEqualBytes) {
  auto upload = MultipartUpload::Start(MakeClient(), kContested);
  ASSERT_TRUE(upload.ok());
  ASSERT_TRUE(upload->UploadPart(1, AsBytes("ours")).ok());
  emulator_.Reset();
  ASSERT_TRUE(rival_.InsertBucket(kRivalBucket).ok());
  ASSERT_TRUE(rival_.InsertObject(kContested, AsBytes("ours")).ok());
  EXPECT_TRUE(testing::FailsWith(upload->Complete(), ErrorCode::kSessionLost));
}

TEST_F(RivalPartsTest, ReportsUnknownIfReplacedBeforeTheCheck) {
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.get"}, {.type = "status", .status = 503}, 1);
  listener_->act = [this] { ASSERT_TRUE(rival_.InsertObject(kContested, AsBytes("a rival's")).ok()); };
  EXPECT_TRUE(testing::FailsWith(Store(), ErrorCode::kOutcomeUnknown));
  EXPECT_EQ(Stored(), "a rival's");
}

class UploadRequestsTest : public RivalPartsTest {
 protected:
  // Operations and phases of the requests that `store` makes.
  std::vector<std::string> RequestsOf(const std::function<bool()>& store) {
    const std::size_t before = emulator_.journal().size();
    EXPECT_TRUE(store());
    std::vector<std::string> requests;
    const auto journal = emulator_.journal();
    for (std::size_t i = before; i < journal.size(); ++i) {
      requests.push_back(journal[i].method + (journal[i].phase.empty() ? "" : " " + journal[i].phase));
    }
    return requests;
  }
};

TEST_F(UploadRequestsTest, AreMinimalWithoutFailures) {
  constexpr std::size_t kChunk = 256 << 10;
  const Client client = MakeClient();
  const std::string long_bytes(2 * kChunk + 1, 'x');
  const auto upload = [&](std::string_view bytes) {
    return [&, bytes] { return UploadObject(client, kContested, AsBytes(bytes), {.chunk_bytes = kChunk}).ok(); };
  };
  const auto stream = [&](std::string_view bytes) {
    return [&, bytes] {
      ObjectWriter writer(client, kContested, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
      return writer.Write(AsBytes(bytes)).ok() && writer.Close().ok();
    };
  };
  EXPECT_THAT(RequestsOf(upload("short")), ElementsAre("POST"));
  EXPECT_THAT(RequestsOf(stream("short")), ElementsAre("POST"));
  EXPECT_THAT(RequestsOf(upload(long_bytes)), ElementsAre("POST start", "PUT chunk", "PUT chunk", "PUT final"));
  EXPECT_THAT(RequestsOf(stream(long_bytes)), ElementsAre("POST start", "PUT chunk", "PUT chunk", "PUT final"));
  EXPECT_THAT(RequestsOf([&] { return testing::UploadInParts(client, kContested, AsBytes("short")).ok(); }),
              ElementsAre("POST initiate", "PUT part", "POST complete", "GET"));
}

}  // namespace
}  // namespace gcsflux
