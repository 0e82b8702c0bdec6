// Calls that all ranks make together, by threads as ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <new>
#include <thread>

#include "sharding/rank_threads.h"
#include "sharding/ranks/message_group.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OnRanks;
using ::testing::SizeIs;
using testing::ValueOf;

using Texts = std::vector<std::string>;

CollectiveLimits Short() { return {.deadline = std::chrono::milliseconds(20)}; }

std::string OfRank(const Collective& group) { return "of " + std::to_string(group.rank()); }

TEST(Collective, GathersOnRank0AndOnAllRanks) {
  const auto gathered =
      OnRanks<Result<Texts>>(3, [](internal::MessageGroup& group) { return group.Gather(OfRank(group)); });
  EXPECT_THAT(ValueOf(gathered[0]), ElementsAre("of 0", "of 1", "of 2"));
  EXPECT_THAT(ValueOf(gathered[2]), IsEmpty());
  for (const auto& all :
       OnRanks<Result<Texts>>(3, [](internal::MessageGroup& group) { return group.AllGather(OfRank(group)); })) {
    EXPECT_THAT(ValueOf(all), ElementsAre("of 0", "of 1", "of 2"));
  }
}

TEST(Collective, BroadcastsAndScattersFromRank0) {
  const auto told =
      OnRanks<Result<std::string>>(3, [](internal::MessageGroup& group) { return group.Broadcast(OfRank(group)); });
  for (const auto& one : told) EXPECT_EQ(ValueOf(one), "of 0");
  const auto given = OnRanks<Result<std::string>>(3, [](internal::MessageGroup& group) {
    return group.Scatter(group.rank() == 0 ? Texts{"a", "", std::string("c\0d", 3)} : Texts());
  });
  EXPECT_EQ(ValueOf(given[0]), "a");
  EXPECT_EQ(ValueOf(given[1]), "");
  EXPECT_EQ(ValueOf(given[2]), std::string("c\0d", 3));
}

TEST(Collective, HasNoRanksForACountBelowOne) {
  EXPECT_TRUE(MakeThreadRanks(0).empty());
  EXPECT_TRUE(MakeThreadRanks(-1).empty());
}

TEST(Collective, NeedsNoOtherProcess) {
  const auto alone = MakeOneProcess();
  internal::MessageGroup& group = internal::MessagesOf(*alone);
  EXPECT_TRUE(group.Barrier().ok());
  EXPECT_THAT(ValueOf(group.AllGather("x")), ElementsAre("x"));
  EXPECT_EQ(ValueOf(group.Scatter({"y"})), "y");
  EXPECT_EQ(ErrorOf(group.Scatter({})).code, ErrorCode::kInvalidArgument);
}

// The errors of three ranks at a barrier in which one of them does not take part.
std::vector<Error> WithoutOne(int missing, const CollectiveLimits& limits) {
  return OnRanks<Error>(3, [&](internal::MessageGroup& group) {
    if (group.rank() == missing) return Error{};
    return ErrorOf(group.Barrier(limits));
  });
}

TEST(Collective, NamesAnEndedRankOnAllOthers) {
  for (const int missing : {1, 2}) {
    const auto errors = WithoutOne(missing, {});
    for (int rank = 0; rank < 3; ++rank) {
      if (rank == missing) continue;
      EXPECT_EQ(errors[static_cast<std::size_t>(rank)].code, ErrorCode::kUnavailable);
      EXPECT_EQ(errors[static_cast<std::size_t>(rank)].message, "rank " + std::to_string(missing) + ": has ended");
    }
  }
  EXPECT_EQ(WithoutOne(0, {})[1].message, "rank 0: has ended");
}

TEST(Collective, NamesAnEndedRankDespiteALateOne) {
  std::atomic<bool> has_failed = false;
  const auto errors = OnRanks<Error>(3, [&](internal::MessageGroup& group) {
    if (group.rank() == 2) return Error{};
    if (group.rank() == 1) {
      while (!has_failed) std::this_thread::yield();
      return ErrorOf(group.Barrier());
    }
    auto error = ErrorOf(group.Barrier());
    has_failed = true;
    return error;
  });
  EXPECT_EQ(errors[0].message, "rank 2: has ended");
  EXPECT_EQ(errors[1].message, errors[0].message);
}

// Rank 2 has sent its message and waits for the answer, when it is cancelled.
TEST(Collective, NamesARankThatFailsAfterItsMessage) {
  std::stop_source stop;
  std::atomic<bool> has_failed = false;
  const auto errors = OnRanks<Error>(3, [&](internal::MessageGroup& group) {
    if (group.rank() == 1) {
      while (!has_failed) std::this_thread::yield();
      return ErrorOf(group.Barrier());
    }
    if (group.rank() == 2) {
      const std::jthread cancel([&] { stop.request_stop(); });
      return ErrorOf(group.Barrier({.stop = stop.get_token()}));
    }
    auto error = ErrorOf(group.Barrier());
    has_failed = true;
    return error;
  });
  for (const Error& error : errors) EXPECT_EQ(error.message, "rank 2: was cancelled");
}

/// Rank 0, whose messages go nowhere.
class SendingRank final : public internal::MessageGroup {
 public:
  explicit SendingRank(bool has_memory = true) : has_memory_(has_memory) {}
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int world_size() const override { return 7; }
  [[nodiscard]] const std::vector<const std::string*>& sent() const { return sent_; }

 protected:
  Result<void> Send(int, const Message& message, const Patience&) override {
    if (!has_memory_ && sent_.empty()) {
      sent_.push_back(nullptr);
      throw std::bad_alloc();
    }
    sent_.push_back(message.get());
    return {};
  }
  Arrival Receive(std::span<const int>, const Patience&) override {
    return {kNoRank, Error{ErrorCode::kUnavailable, "is none"}};
  }

 private:
  const bool has_memory_;
  std::vector<const std::string*> sent_;
};

TEST(Collective, BroadcastsOneCopyToAllReceivers) {
  SendingRank rank;
  const std::string bytes(1'000'000, 'x');
  EXPECT_EQ(ValueOf(rank.Broadcast(bytes)), bytes);
  EXPECT_THAT(rank.sent(), AllOf(SizeIs(6), Each(rank.sent().front())));
}

TEST(Collective, ReportsARankWithoutMemoryOnAllRanks) {
  using Call = std::function<Error(internal::MessageGroup&)>;
  for (const Call& call : {Call([](internal::MessageGroup& group) { return ErrorOf(group.Broadcast("x")); }),
                           Call([](internal::MessageGroup& group) { return ErrorOf(group.Scatter(Texts(7))); })}) {
    SendingRank rank(false);
    const Error error = call(rank);
    EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kLocalIo, HasSubstr("rank 0: has no memory for a message")));
    EXPECT_THAT(rank.sent(), SizeIs(7)) << "the failure, to all others";
  }
}

TEST(Collective, NamesAMissingRank) {
  std::atomic<int> failed = 0;
  const auto errors = OnRanks<Error>(3, [&](internal::MessageGroup& group) {
    if (group.rank() == 1) {
      while (failed != 2) std::this_thread::yield();
      return ErrorOf(group.Barrier());
    }
    auto error = ErrorOf(group.Barrier(Short()));
    ++failed;
    return error;
  });
  const std::string why = "rank 1: gave no answer within the deadline of 20 ms";
  EXPECT_EQ(errors[0].message, why);
  EXPECT_EQ(errors[2].message, why);
  EXPECT_EQ(errors[1].message, why) << "when it joins, it gets the error";
}

// The others wait for it by their own clocks, which differ.
TEST(Collective, ReportsAMissingRank0AlikeOnAllRanks) {
  std::atomic<int> failed = 0;
  const auto errors = OnRanks<Error>(3, [&](internal::MessageGroup& group) {
    if (group.rank() == 0) {
      while (failed != 2) std::this_thread::yield();
      return Error{};
    }
    const auto since = std::chrono::steady_clock::now() - std::chrono::seconds(group.rank());
    auto error = ErrorOf(group.Barrier({.deadline = std::chrono::milliseconds(20), .since = since}));
    ++failed;
    return error;
  });
  EXPECT_EQ(errors[1].message, "rank 0: gave no answer within the deadline of 20 ms");
  EXPECT_EQ(errors[2].message, errors[1].message);
}

TEST(Collective, NamesACancelledRankOnAllRanks) {
  for (const int cancelled : {0, 2}) {
    std::stop_source stop;
    stop.request_stop();
    const auto errors = OnRanks<Error>(3, [&](internal::MessageGroup& group) {
      if (group.rank() == cancelled) return ErrorOf(group.AllGather("", {.stop = stop.get_token()}));
      return ErrorOf(group.AllGather(""));
    });
    for (const Error& error : errors) {
      EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kCancelled,
                                     HasSubstr("rank " + std::to_string(cancelled) + ": was cancelled")));
    }
  }
}

TEST(Collective, RefusesRanksWithDifferentCalls) {
  const auto errors = OnRanks<Error>(3, [](internal::MessageGroup& group) {
    if (group.rank() == 2) return ErrorOf(group.Barrier());
    return ErrorOf(group.AllGather("x"));
  });
  EXPECT_THAT(errors, SizeIs(3));
  for (const Error& error : errors) {
    EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kInvalidArgument,
                                   AllOf(HasSubstr("rank 2"), HasSubstr("Barrier"), HasSubstr("AllGather"))));
  }
}

TEST(Collective, StaysFailed) {
  const auto errors = OnRanks<std::vector<std::string>>(2, [](internal::MessageGroup& group) {
    if (group.rank() == 1) return std::vector<std::string>();
    std::vector<std::string> messages = {ErrorOf(group.Barrier()).message};
    messages.push_back(ErrorOf(group.Gather("")).message);
    messages.push_back(ErrorOf(group.Broadcast("")).message);
    return messages;
  });
  EXPECT_THAT(errors[0], AllOf(SizeIs(3), Each("rank 1: has ended")));
}

}  // namespace
}  // namespace gcsflux
