#include "store/uploads/resumable_sessions.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "store/buckets/store.h"
#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

using State = ResumableSession::State;

std::uint32_t Crc32cOf(const std::string& text) { return ExtendCrc32c(0, std::as_bytes(std::span(text))); }

ResumableSession::Status Append(ResumableSession& session, std::uint64_t offset, const std::string& text) {
  return *session.Append(offset, {Rope(text), Crc32cOf(text)});
}

class ResumableSessionsTest : public ::testing::Test {
 protected:
  Time now_ = Time(std::chrono::hours(24));
  ResumableSessions sessions_{[this] { return now_; }, 7};
};

TEST_F(ResumableSessionsTest, FindsASessionForAWeek) {
  const std::string id = *sessions_.Start({}, std::nullopt);
  now_ += std::chrono::hours(7 * 24) - std::chrono::seconds(1);
  EXPECT_NE(sessions_.Find(id), nullptr);
  now_ += std::chrono::seconds(1);
  EXPECT_EQ(sessions_.Find(id), nullptr);
}

TEST_F(ResumableSessionsTest, ForgetsOnlyExpiredSessions) {
  const std::string old = *sessions_.Start({}, std::nullopt);
  const std::string removed = *sessions_.Start({}, std::nullopt);
  now_ += std::chrono::hours(6 * 24);
  const std::string young = *sessions_.Start({}, std::nullopt);
  sessions_.Remove(removed);
  now_ += std::chrono::hours(2 * 24);
  EXPECT_EQ(sessions_.Find(old), nullptr);
  EXPECT_EQ(sessions_.Find(removed), nullptr);
  EXPECT_NE(sessions_.Find(young), nullptr);
}

// It would keep all that the bucket held, for a week.
TEST_F(ResumableSessionsTest, DoesNotKeepADeletedBucketAlive) {
  Store store([this] { return now_; });
  ASSERT_TRUE(store.InsertBucket({.name = "bucket"}));
  std::weak_ptr<Bucket> bucket = *store.FindBucket("bucket");
  const auto session = sessions_.Find(*sessions_.Start({.bucket = bucket.lock()}, std::nullopt));
  EXPECT_EQ(session->bucket(), bucket.lock());
  store.Clear();
  EXPECT_TRUE(bucket.expired());
  EXPECT_EQ(session->bucket(), nullptr);
}

TEST_F(ResumableSessionsTest, GivesEachSessionItsOwnId) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(*sessions_.Start({}, std::nullopt));
  EXPECT_EQ(ids.size(), 1000U);
}

constexpr std::size_t kMostSessions = 10'000;

TEST_F(ResumableSessionsTest, KeepsTheNewestOpenSessions) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i <= kMostSessions; ++i) ids.push_back(*sessions_.Start({}, std::nullopt));
  EXPECT_EQ(sessions_.Find(ids[0]), nullptr);
  EXPECT_NE(sessions_.Find(ids[1]), nullptr);
  EXPECT_NE(sessions_.Find(ids.back()), nullptr);
}

TEST_F(ResumableSessionsTest, ForgetsCompleteSessionsFirst) {
  const std::string open = *sessions_.Start({}, std::nullopt);
  const std::string cancelled = *sessions_.Start({}, std::nullopt);
  sessions_.Remove(cancelled);
  std::vector<std::string> complete;
  for (std::size_t i = 0; i <= kMostSessions; ++i) {
    complete.push_back(*sessions_.Start({}, std::nullopt));
    sessions_.Complete(complete.back());
    sessions_.Complete(complete.back());
  }
  EXPECT_NE(sessions_.Find(open), nullptr);
  EXPECT_EQ(sessions_.Find(complete[0]), nullptr);
  EXPECT_NE(sessions_.Find(complete[1]), nullptr);
  now_ += std::chrono::hours(7 * 24);
  EXPECT_EQ(sessions_.Find(open), nullptr);
  EXPECT_EQ(sessions_.Find(complete[1]), nullptr);
}

TEST(ResumableSession, AppendsOnlyAtItsEnd) {
  ResumableSession session({}, std::nullopt);
  EXPECT_EQ(Append(session, 0, "one").persisted, 3U);
  EXPECT_EQ(Append(session, 0, "one").persisted, 3U);
  EXPECT_EQ(Append(session, 4, "gap").persisted, 3U);
  EXPECT_EQ(Append(session, 3, " two").persisted, 7U);
  const BodyPtr content = session.BeginFinish(7);
  ASSERT_NE(content, nullptr);
  EXPECT_EQ(content->bytes().ToString(), "one two");
  EXPECT_EQ(content->crc32c(), Crc32cOf("one two"));
}

TEST(ResumableSession, KnowsItsMd5IfEveryRequestHasOne) {
  for (const bool second_brings_md5 : {true, false}) {
    ResumableSession session({}, std::nullopt);
    std::optional<Md5Stream> md5 = session.Md5Until(0);
    ASSERT_TRUE(md5);
    md5->Append(std::as_bytes(std::span("one", 3)));
    session.Append(0, {Rope("one"), Crc32cOf("one"), md5});
    if (second_brings_md5) {
      md5 = session.Md5Until(3);
      ASSERT_TRUE(md5);
      md5->Append(std::as_bytes(std::span(" two", 4)));
    } else {
      md5.reset();
    }
    session.Append(3, {Rope(" two"), Crc32cOf(" two"), md5});
    EXPECT_EQ(session.Md5Until(7).has_value(), second_brings_md5);
    const BodyPtr content = session.BeginFinish(7);
    EXPECT_EQ(content->has_md5(), second_brings_md5);
    EXPECT_EQ(content->md5(), ComputeMd5(Rope("one two")));
  }
}

TEST(ResumableSession, KeepsItsMd5IfItAppendsNothing) {
  ResumableSession session({}, std::nullopt);
  Append(session, 0, "one");
  Md5Stream another;
  another.Append(std::as_bytes(std::span("two", 3)));
  session.Append(0, {Rope("two"), Crc32cOf("two"), another});
  EXPECT_EQ(session.BeginFinish(3)->md5(), ComputeMd5(Rope("one")));
}

TEST(ResumableSession, IsFinishedByOneRequestAtATime) {
  ResumableSession session({}, std::nullopt);
  Append(session, 0, "all");
  EXPECT_EQ(session.BeginFinish(2), nullptr);
  EXPECT_NE(session.BeginFinish(3), nullptr);
  EXPECT_EQ(session.BeginFinish(3), nullptr);
  EXPECT_EQ(Append(session, 3, "more").persisted, 3U);
  EXPECT_FALSE(session.Cancel());
  session.EndFinish(std::nullopt);
  EXPECT_NE(session.BeginFinish(3), nullptr);
}

TEST(ResumableSession, KeepsItsAnswerAndReleasesItsBytes) {
  ResumableSession session({}, std::nullopt);
  Append(session, 0, "all");
  std::weak_ptr<const Body> content;
  {
    const BodyPtr body = session.BeginFinish(3);
    content = body;
    session.EndFinish("the answer");
  }
  EXPECT_TRUE(content.expired());
  const ResumableSession::Status status = session.status();
  EXPECT_EQ(status.state, State::kComplete);
  EXPECT_EQ(status.answer, "the answer");
  EXPECT_EQ(status.persisted, 3U);
}

TEST(ResumableSession, RefusesBytesAfterItsCancellation) {
  ResumableSession session({}, std::nullopt);
  EXPECT_TRUE(session.Cancel());
  EXPECT_EQ(Append(session, 0, "late").persisted, 0U);
  EXPECT_EQ(session.BeginFinish(0), nullptr);
  EXPECT_FALSE(session.Cancel());
}

}  // namespace
}  // namespace gcsflux::emulator
