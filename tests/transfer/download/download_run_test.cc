// The engine without a network: units of any shape, by any number of slots.
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

// Which pieces of which units are fetched, and how often.
class Fetches {
 public:
  explicit Fetches(std::vector<UnitPlan> units) : units_(std::move(units)) {}

  FetchMethod Method() {
    return {.plan =
                [this](std::size_t first) {
                  return *std::find_if(units_.begin(), units_.end(), [&](const auto& u) { return u.first == first; });
                },
            .begin =
                [this](const UnitPlan& unit, std::span<const Destination> destinations) {
                  EXPECT_EQ(destinations.size(), unit.count);
                  return std::make_unique<Fetch>(*this, unit);
                }};
  }

  std::function<Result<void>(const UnitPlan&, std::size_t piece, const std::stop_token&)> on_piece = {};
  std::function<UnitOutcome(const UnitPlan&)> on_finish = {};
  std::atomic<std::size_t> pieces = 0;

 private:
  class Fetch : public UnitFetch {
   public:
    Fetch(Fetches& all, UnitPlan unit) : all_(all), unit_(unit), times_(unit.pieces) {}
    Result<void> FetchPiece(std::size_t piece, const std::stop_token& stop) override {
      EXPECT_LT(piece, unit_.pieces);
      ++times_[piece];
      ++all_.pieces;
      return all_.on_piece ? all_.on_piece(unit_, piece, stop) : Result<void>();
    }
    UnitOutcome Finish(const std::stop_token&) override {
      for (const auto& times : times_) EXPECT_EQ(times, times_.front()) << "each as often as the others";
      return all_.on_finish ? all_.on_finish(unit_) : UnitOutcome();
    }

   private:
    Fetches& all_;
    const UnitPlan unit_;
    std::vector<std::atomic<int>> times_;
  };

  const std::vector<UnitPlan> units_;
};

class Told : public Recipient {
 public:
  bool Admit(const UnitPlan&) override {
    ++asked;
    return admits;
  }
  Result<std::vector<Destination>> DestinationsOf(const UnitPlan& unit) override {
    if (on_destinations) on_destinations();
    if (unit.first == without_memory) return Error{ErrorCode::kInvalidArgument, "no memory"};
    return std::vector<Destination>(unit.count);
  }
  void OnUnit(const FinishedUnit& unit) override {
    const std::scoped_lock lock(mutex_);
    if (on_unit) on_unit();
    units.push_back(unit.plan.first);
    for (const auto& error : unit.errors) {
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
  std::vector<std::size_t> units;
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
    std::vector<UnitPlan> plans;
    std::size_t sources = 0;
    std::size_t pieces = 0;
    for (int i = 0; i < 100; ++i) {
      plans.push_back({.first = sources, .count = 1 + random() % 5, .pieces = 1 + random() % 7});
      sources += plans.back().count;
      pieces += plans.back().pieces;
    }
    Fetches fetches(plans);
    Told told;
    Begin(slots, fetches, sources, told)->Wait();
    EXPECT_EQ(fetches.pieces, pieces);
    std::sort(told.units.begin(), told.units.end());
    ASSERT_EQ(told.units.size(), plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(told.units[i], plans[i].first);
    EXPECT_TRUE(told.failures.empty());
  }
}

// The places where memory may be missing: when the loop plans, starts, fetches, finishes and reports a unit.
TEST(DownloadRun, FailsWhereverMemoryIsMissing) {
  for (const std::string place : {"plan", "destinations", "begin", "piece", "finish", "report"}) {
    for (const std::size_t count : {1U, 4U}) {
      SCOPED_TRACE(place + " of " + std::to_string(count));
      const auto slots = testing::MakeSlots(count);
      std::atomic<int> visits = 0;
      const auto visit = [&](const std::string& here) {
        if (here == place && ++visits == 2) throw std::bad_alloc();
      };
      Fetches fetches({{.first = 0, .pieces = 3}, {.first = 1, .pieces = 3}, {.first = 2, .pieces = 3}});
      fetches.on_piece = [&](const UnitPlan&, std::size_t, const std::stop_token&) -> Result<void> {
        return visit("piece"), Result<void>();
      };
      fetches.on_finish = [&](const UnitPlan&) { return visit("finish"), UnitOutcome(); };
      FetchMethod method = fetches.Method();
      method.plan = [&, plan = method.plan](std::size_t first) { return visit("plan"), plan(first); };
      method.begin = [&, begin = method.begin](const UnitPlan& unit, std::span<Destination> destinations) {
        return visit("begin"), begin(unit, destinations);
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
      EXPECT_LT(told.units.size(), 3U);
    }
  }
}

TEST(DownloadRun, FetchesPiecesOfAUnitInParallel) {
  const auto slots = testing::MakeSlots(4);
  std::latch together(4);  // Would never open with fewer.
  Fetches fetches({{.first = 0, .count = 1, .pieces = 4}});
  fetches.on_piece = [&](const UnitPlan&, std::size_t, const std::stop_token&) -> Result<void> {
    together.arrive_and_wait();
    return {};
  };
  Told told;
  Begin(slots, fetches, 1, told)->Wait();
  EXPECT_EQ(told.units.size(), 1U);
}

TEST(DownloadRun, FailsAllSourcesOfAUnitWithItsPiece) {
  const auto slots = testing::MakeSlots(1);
  Fetches fetches({{.first = 0, .count = 3, .pieces = 50}, {.first = 3, .count = 1, .pieces = 2}});
  fetches.on_piece = [](const UnitPlan& unit, std::size_t piece, const std::stop_token&) -> Result<void> {
    if (unit.first == 0 && piece == 2) return Error{ErrorCode::kNotFound, "piece 2"};
    return {};
  };
  Told told;
  Begin(slots, fetches, 4, told)->Wait();
  ASSERT_EQ(told.failures.size(), 3U);
  EXPECT_EQ(told.failures.back().message, "piece 2");
  EXPECT_EQ(told.units.size(), 2U);
  EXPECT_EQ(fetches.pieces, 3U + 2U) << "those that had not started were skipped";
}

TEST(DownloadRun, FetchesAllPiecesAgainOnRequest) {
  const auto slots = testing::MakeSlots(3);
  Fetches fetches({{.first = 0, .count = 1, .pieces = 5}, {.first = 1, .count = 1, .pieces = 1}});
  std::atomic<int> finished = 0;
  fetches.on_finish = [&](const UnitPlan& unit) {
    return UnitOutcome{.is_to_be_repeated = unit.first == 0 && finished++ == 0};
  };
  Told told;
  Begin(slots, fetches, 2, told)->Wait();
  EXPECT_EQ(fetches.pieces, 11U);
  EXPECT_EQ(told.units.size(), 2U);
}

TEST(DownloadRun, FailsAUnitWithoutMemory) {
  const auto slots = testing::MakeSlots(2);
  Fetches fetches({{.first = 0, .count = 2, .pieces = 9}, {.first = 2, .count = 1, .pieces = 2}});
  Told told;
  told.without_memory = 0;
  Begin(slots, fetches, 3, told)->Wait();
  EXPECT_EQ(told.failures.size(), 2U);
  EXPECT_EQ(fetches.pieces, 2U);
}

// As in a stream whose number of sources is unknown in advance.
TEST(DownloadRun, EndsIfNoSourceFollowsTheLastUnit) {
  const auto slots = testing::MakeSlots(2);
  for (int i = 0; i < 1'000; ++i) {  // The end is found before the wait, or while it waits.
    Fetches fetches({{.first = 0, .count = 1, .pieces = 1}, {.first = 1, .count = 0}});
    Told told;
    Begin(slots, fetches, SIZE_MAX, told)->Wait();
    ASSERT_EQ(told.units.size(), 1U);
  }
}

TEST(DownloadRun, WaitsForAdmission) {
  const auto slots = testing::MakeSlots(2);
  Fetches fetches({UnitPlan{}});
  Told told;
  told.admits = false;
  const auto run = Begin(slots, fetches, 1, told);
  while (told.asked == 0) std::this_thread::yield();
  EXPECT_EQ(fetches.pieces, 0U);
  run->OnAdmitted();
  run->Wait();
  EXPECT_EQ(told.asked, 1);
  EXPECT_EQ(told.units.size(), 1U);
}

TEST(DownloadRun, StopsRunningPiecesAndStartsNoMore) {
  const auto slots = testing::MakeSlots(2);
  Fetches fetches({{.first = 0, .count = 1, .pieces = 100}, {.first = 1, .count = 1, .pieces = 1}});
  std::atomic<bool> is_running = false;
  fetches.on_piece = [&](const UnitPlan&, std::size_t, const std::stop_token& stop) -> Result<void> {
    is_running = true;
    while (!stop.stop_requested()) std::this_thread::yield();
    return Error{ErrorCode::kCancelled, "stopped"};
  };
  Told told;
  const auto run = Begin(slots, fetches, 2, told);
  while (!is_running) std::this_thread::yield();
  run->Stop();
  run->Wait();
  EXPECT_LE(fetches.pieces, 3U);
  for (const Error& failure : told.failures) EXPECT_EQ(failure.code, ErrorCode::kCancelled);
  EXPECT_EQ(told.units.size(), told.failures.size());
}

TEST(RequestSlots, ServeSeveralRunsInTurn) {
  const auto slots = testing::MakeSlots(1);
  std::vector<UnitPlan> plans;
  for (std::size_t i = 0; i < 100; ++i) plans.push_back({.first = i});
  Fetches first(plans);
  Fetches second(plans);
  std::latch both(1);
  std::atomic<std::size_t> second_by_then = 0;
  first.on_piece = [&](const UnitPlan& unit, std::size_t, const std::stop_token&) -> Result<void> {
    if (unit.first == 0) both.wait();
    if (unit.first == 50) second_by_then = second.pieces.load();
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
  EXPECT_EQ(told_first.units.size() + told_second.units.size(), 200U);
}

}  // namespace
}  // namespace gcsflux::internal
