// How long ranks wait for each other: a deadline is for a whole call, and for all work without progress.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/message.h"
#include "sharding/ranks/work_of_ranks.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Rank 0. The other ranks answer at once, with what `answer` makes of the number of the call.
class RecordingRank final : public internal::MessageGroup {
 public:
  using Answer = std::function<std::string(std::uint64_t call)>;

  RecordingRank(int world_size, std::uint64_t kind, Answer answer)
      : world_size_(world_size), kind_(kind), answer_(std::move(answer)) {}
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int world_size() const override { return world_size_; }

  std::vector<std::chrono::steady_clock::time_point> untils = {};
  std::vector<milliseconds> deadlines = {};

 protected:
  Result<void> Send(int to, const Message&, const Patience& patience) override {
    if (to == 1) Record(patience);
    return {};
  }
  Arrival Receive(std::span<const int>, const Patience& patience) override {
    Record(patience);
    if (next_ == 1) ++calls_;
    internal::MessageWriter message;
    message.Number(0);  // No failure.
    message.Number(kind_);
    message.Number(calls_);
    message.Text(answer_(calls_));
    const int from = next_;
    next_ = next_ + 1 == world_size_ ? 1 : next_ + 1;
    return {from, message.Take()};
  }

 private:
  void Record(const Patience& patience) {
    untils.push_back(patience.until);
    deadlines.push_back(patience.deadline);
  }

  const int world_size_;
  const std::uint64_t kind_;
  const Answer answer_;
  std::uint64_t calls_ = 0;
  int next_ = 1;
};

constexpr std::uint64_t kAllGather = 5;

TEST(CollectivePatience, CoversAllMessagesOfACall) {
  RecordingRank rank(4, kAllGather, [](std::uint64_t) { return ""; });
  ASSERT_TRUE(rank.AllGather("", {.deadline = seconds(60)}).ok());
  EXPECT_THAT(rank.untils, ::testing::AllOf(::testing::SizeIs(4), ::testing::Each(rank.untils.front())));
  EXPECT_THAT(rank.deadlines, ::testing::Each(seconds(60)));
}

TEST(CollectivePatience, AcceptsAnyDeadline) {
  RecordingRank rank(2, kAllGather, [](std::uint64_t) { return ""; });
  ASSERT_TRUE(rank.AllGather("", {.deadline = milliseconds::max()}).ok());
  EXPECT_GT(rank.untils.front(), std::chrono::steady_clock::now() + std::chrono::hours(24 * 365));
}

TEST(CollectivePatience, StartsAtTheCallersTime) {
  struct Case {
    milliseconds deadline, still_for, want;
  };
  for (const Case& one : {Case{seconds(60), seconds(0), seconds(60)}, Case{seconds(60), seconds(50), seconds(10)},
                          Case{seconds(60), seconds(59), seconds(2)}, Case{seconds(60), seconds(61), seconds(2)},
                          Case{milliseconds(300), milliseconds(200), milliseconds(300)},
                          Case{seconds(60), seconds(-50), seconds(60)}}) {  // From a future time.
    SCOPED_TRACE(std::to_string(one.deadline.count()) + " ms, of which " + std::to_string(one.still_for.count()) +
                 " have passed");
    RecordingRank rank(2, kAllGather, [](std::uint64_t) { return ""; });
    const auto before = std::chrono::steady_clock::now();
    ASSERT_TRUE(rank.AllGather("", {.deadline = one.deadline, .since = before - one.still_for}).ok());
    EXPECT_GE(rank.untils.front(), before + one.want);
    EXPECT_LE(rank.untils.front(), std::chrono::steady_clock::now() + one.want);
    EXPECT_EQ(rank.deadlines.front(), one.deadline);
  }
}

// Rank 0 is ready at once. The fourth answer of rank 1 is its failure.
TEST(WorkPatience, EndsAtOneTimeForMeetingsWithoutProgress) {
  RecordingRank rank(2, kAllGather, [](std::uint64_t call) {
    std::optional<Error> error;
    if (call == 4) error = Error{ErrorCode::kUnavailable, "the end"};
    return internal::MessageWriter().Put(0, false, false, error).Take();  // Moved, done, standstill, and the error.
  });
  const internal::WorkOfRank work = [](std::atomic<std::uint64_t>&, const std::stop_token&) { return Result<void>(); };
  const auto done = internal::WorkOnAllRanks(rank, std::chrono::hours(1), work, {});
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "rank 1: the end");
  ASSERT_EQ(rank.untils.size(), 8U);  // One message in, and one out, at each meeting.
  EXPECT_GT(rank.untils[2], rank.untils[0]) << "at the first one, rank 0 has become ready";
  EXPECT_THAT(std::vector(rank.untils.begin() + 2, rank.untils.end()), ::testing::Each(rank.untils[2]));
  EXPECT_THAT(rank.deadlines, ::testing::Each(std::chrono::hours(1)));
}

}  // namespace
}  // namespace gcsflux
