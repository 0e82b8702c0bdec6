// The engine without a network: groups of any shape, by any number of slots.
#include "transfer/download/download_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/request_slots.h"

namespace gcsflux::internal {
namespace {

// Which ranges of which groups are fetched, and how often.
class Fetches {
 public:
  explicit Fetches(std::vector<GroupPlan> groups) : groups_(std::move(groups)) {}

  FetchMethod Method() {
    return {.plan =
                [this](std::size_t first) {
                  return *std::find_if(groups_.begin(), groups_.end(), [&](const auto& u) { return u.first == first; });
                },
            .begin =
                [this](const GroupPlan& group, std::span<const Destination> destinations) {
                  EXPECT_EQ(destinations.size(), group.count);
                  return std::make_unique<Fetch>(*this, group);
                }};
  }

  std::function<Result<void>(const GroupPlan&, std::size_t range, const std::stop_token&)> on_range = {};
  std::function<GroupOutcome(const GroupPlan&)> on_finish = {};
  std::atomic<std::size_t> ranges = 0;

 private:
  class Fetch : public GroupFetch {
   public:
    Fetch(Fetches& all, GroupPlan group) : all_(all), group_(group), times_(group.ranges) {}
    Result<void> FetchRange(std::size_t range, const std::stop_token& stop) override {
      EXPECT_LT(range, group_.ranges);
      ++times_[range];
      ++all_.ranges;
      return all_.on_range ? all_.on_range(group_, range, stop) : Result<void>();
    }
    GroupOutcome Finish(const std::stop_token&) override {
      for (const auto& times : times_) EXPECT_EQ(times, times_.front()) << "each as often as the others";
      return all_.on_finish ? all_.on_finish(group_) : GroupOutcome();
    }

   private:
    Fetches& all_;
    const GroupPlan group_;
    std::vector<std::atomic<int>> times_;
  };

  const std::vector<GroupPlan> groups_;
};

class Told : public Recipient {
 public:
  bool Admit(const GroupPlan&) override {
    ++asked;
    return admits;
  }
  Result<std::vector<Destination>> DestinationsOf(const GroupPlan& group) override {
    if (on_destinations) on_destinations();
    if (group.first == without_memory) return Error{ErrorCode::kInvalidArgument, "no memory"};
    return std::vector<Destination>(group.count);
  }
  void OnGroup(const FinishedGroup& group) override {
    const std::scoped_lock lock(mutex_);
    if (on_unit) on_unit();
    groups.push_back(group.plan.first);
    for (const auto& error : group.errors) {
      if (error) failures.push_back(*error);
    }
  }

  void OnRunFailed(const Error& error) noexcept override {
    const std::scoped_lock lock(mutex_);
    failure = error;
  }

  bool admits = true;
  std::function<void()> on_destinations;
  std::function<void()> on_unit;
  std::optional<Error> failure;
  std::atomic<int> asked = 0;
  std::optional<std::size_t> without_memory;
  std::vector<std::size_t> groups;
  std::vector<Error> failures;

 private:
  std::mutex mutex_;
};

std::shared_ptr<DownloadRun> Begin(const std::shared_ptr<RequestSlots>& slots, Fetches& fetches, std::size_t sources,
                                   Recipient& recipient) {
  auto run = std::make_shared<DownloadRun>(slots, fetches.Method(), sources, recipient);
  run->Offer();
  return run;
}

TEST(DownloadRun, FetchesEveryPieceOfEveryUnitOnce) {
  std::mt19937 random(3);
  for (std::size_t count = 1; count <= 8; ++count) {
    const auto slots = testing::MakeSlots(count);
    std::vector<GroupPlan> plans;
    std::size_t sources = 0;
    std::size_t ranges = 0;
    for (int i = 0; i < 100; ++i) {
      plans.push_back({.first = sources, .count = 1 + random() % 5, .ranges = 1 + random() % 7});
      sources += plans.back().count;
      ranges += plans.back().ranges;
    }
    Fetches fetches(plans);
    Told told;
    Begin(slots, fetches, sources, told)->Wait();
    EXPECT_EQ(fetches.ranges, ranges);
    std::sort(told.groups.begin(), told.groups.end());
    ASSERT_EQ(told.groups.size(), plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(told.groups[i], plans[i].first);
    EXPECT_TRUE(told.failures.empty());
  }
}

// The places where memory may be missing: when the loop plans, starts, fetches, finishes and reports a group.
TEST(DownloadRun, FailsWhereverMemoryIsMissing) {
  for (const std::string place : {"plan", "destinations", "begin", "range", "finish", "report"}) {
    for (const std::size_t count : {1U, 4U}) {
      SCOPED_TRACE(place + " of " + std::to_string(count));
      const auto slots = testing::MakeSlots(count);
      std::atomic<int> visits = 0;
      const auto visit = [&](const std::string& here) {
        if (here == place && ++visits == 2) throw std::bad_alloc();
      };
      Fetches fetches({{.first = 0, .ranges = 3}, {.first = 1, .ranges = 3}, {.first = 2, .ranges = 3}});
      fetches.on_range = [&](const GroupPlan&, std::size_t, const std::stop_token&) -> Result<void> {
        return visit("range"), Result<void>();
      };
      fetches.on_finish = [&](const GroupPlan&) { return visit("finish"), GroupOutcome(); };
      FetchMethod method = fetches.Method();
      method.plan = [&, plan = method.plan](std::size_t first) { return visit("plan"), plan(first); };
      method.begin = [&, begin = method.begin](const GroupPlan& group, std::span<Destination> destinations) {
        return visit("begin"), begin(group, destinations);
      };
      Told told;
      told.on_destinations = [&] { visit("destinations"); };
      told.on_unit = [&] { visit("report"); };
      const auto run = std::make_shared<DownloadRun>(slots, std::move(method), 3, told);
      run->Offer();
      run->Wait();
      EXPECT_GE(visits, 2);
      ASSERT_TRUE(told.failure);
      EXPECT_EQ(told.failure->code, ErrorCode::kLocalIo);
      EXPECT_EQ(told.failure->message, "out of memory");
      EXPECT_LT(told.groups.size(), 3U);
    }
  }
}

TEST(DownloadRun, FetchesRangesOfAGroupInParallel) {
  const auto slots = testing::MakeSlots(4);
  std::latch together(4);  // Would never open with fewer.
  Fetches fetches({{.first = 0, .count = 1, .ranges = 4}});
  fetches.on_range = [&](const GroupPlan&, std::size_t, const std::stop_token&) -> Result<void> {
    together.arrive_and_wait();
    return {};
  };
  Told told;
  Begin(slots, fetches, 1, told)->Wait();
  EXPECT_EQ(told.groups.size(), 1U);
}

TEST(DownloadRun, FailsAllSourcesOfAUnitWithItsPiece) {
  const auto slots = testing::MakeSlots(1);
  Fetches fetches({{.first = 0, .count = 3, .ranges = 50}, {.first = 3, .count = 1, .ranges = 2}});
  fetches.on_range = [](const GroupPlan& group, std::size_t range, const std::stop_token&) -> Result<void> {
    if (group.first == 0 && range == 2) return Error{ErrorCode::kNotFound, "range 2"};
    return {};
  };
  Told told;
  Begin(slots, fetches, 4, told)->Wait();
  ASSERT_EQ(told.failures.size(), 3U);
  EXPECT_EQ(told.failures.back().message, "range 2");
  EXPECT_EQ(told.groups.size(), 2U);
  EXPECT_EQ(fetches.ranges, 3U + 2U) << "those that had not started were skipped";
}

TEST(DownloadRun, FetchesAllPiecesAgainOnRequest) {
  const auto slots = testing::MakeSlots(3);
  Fetches fetches({{.first = 0, .count = 1, .ranges = 5}, {.first = 1, .count = 1, .ranges = 1}});
  std::atomic<int> finished = 0;
  fetches.on_finish = [&](const GroupPlan& group) {
    return GroupOutcome{.is_to_be_repeated = group.first == 0 && finished++ == 0};
  };
  Told told;
  Begin(slots, fetches, 2, told)->Wait();
  EXPECT_EQ(fetches.ranges, 11U);
  EXPECT_EQ(told.groups.size(), 2U);
}

TEST(DownloadRun, FailsAUnitWithoutMemory) {
  const auto slots = testing::MakeSlots(2);
  Fetches fetches({{.first = 0, .count = 2, .ranges = 9}, {.first = 2, .count = 1, .ranges = 2}});
  Told told;
  told.without_memory = 0;
  Begin(slots, fetches, 3, told)->Wait();
  EXPECT_EQ(told.failures.size(), 2U);
  EXPECT_EQ(fetches.ranges, 2U);
}

// As in a stream whose number of sources is unknown in advance.
TEST(DownloadRun, EndsIfNoSourceFollowsTheLastUnit) {
  const auto slots = testing::MakeSlots(2);
  for (int i = 0; i < 1'000; ++i) {  // The end is found before the wait, or while it waits.
    Fetches fetches({{.first = 0, .count = 1, .ranges = 1}, {.first = 1, .count = 0}});
    Told told;
    Begin(slots, fetches, SIZE_MAX, told)->Wait();
    ASSERT_EQ(told.groups.size(), 1U);
  }
}

TEST(DownloadRun, WaitsForAdmission) {
  const auto slots = testing::MakeSlots(2);
  Fetches fetches({GroupPlan{}});
  Told told;
  told.admits = false;
  const auto run = Begin(slots, fetches, 1, told);
  while (told.asked == 0) std::this_thread::yield();
  EXPECT_EQ(fetches.ranges, 0U);
  run->OnAdmitted();
  run->Wait();
  EXPECT_EQ(told.asked, 1);
  EXPECT_EQ(told.groups.size(), 1U);
}

TEST(DownloadRun, StopsRunningPiecesAndStartsNoMore) {
  const auto slots = testing::MakeSlots(2);
  Fetches fetches({{.first = 0, .count = 1, .ranges = 100}, {.first = 1, .count = 1, .ranges = 1}});
  std::atomic<bool> is_running = false;
  fetches.on_range = [&](const GroupPlan&, std::size_t, const std::stop_token& stop) -> Result<void> {
    is_running = true;
    while (!stop.stop_requested()) std::this_thread::yield();
    return Error{ErrorCode::kCancelled, "stopped"};
  };
  Told told;
  const auto run = Begin(slots, fetches, 2, told);
  while (!is_running) std::this_thread::yield();
  run->Stop();
  run->Wait();
  EXPECT_LE(fetches.ranges, 3U);
  for (const Error& failure : told.failures) EXPECT_EQ(failure.code, ErrorCode::kCancelled);
  EXPECT_EQ(told.groups.size(), told.failures.size());
}

TEST(RequestSlots, ServeSeveralRunsInTurn) {
  const auto slots = testing::MakeSlots(1);
  std::vector<GroupPlan> plans;
  for (std::size_t i = 0; i < 100; ++i) plans.push_back({.first = i});
  Fetches first(plans);
  Fetches second(plans);
  std::latch both(1);
  std::atomic<std::size_t> second_by_then = 0;
  first.on_range = [&](const GroupPlan& group, std::size_t, const std::stop_token&) -> Result<void> {
    if (group.first == 0) both.wait();
    if (group.first == 50) second_by_then = second.ranges.load();
    return {};
  };
  Told told_first;
  Told told_second;
  const auto one = Begin(slots, first, 100, told_first);
  const auto other = Begin(slots, second, 100, told_second);
  both.count_down();
  one->Wait();
  other->Wait();
  EXPECT_GE(second_by_then, 40U) << "it does not wait for the first to end";
  EXPECT_LE(second_by_then, 60U) << "nor the first for it";
  EXPECT_EQ(told_first.groups.size() + told_second.groups.size(), 200U);
}

}  // namespace
}  // namespace gcsflux::internal
