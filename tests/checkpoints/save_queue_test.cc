#include "checkpoints/saves/save_queue.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <latch>
#include <semaphore>
#include <set>

#include "support/fails_with.h"
#include "support/result.h"
#include "support/stored_objects.h"

namespace gcsflux {
namespace {

using internal::SaveQueue;
using internal::SaveRequest;
using internal::StateContents;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::RandomBytes;
using testing::TextOf;
using testing::ValueOf;

// The target of saves: each waits until the test releases it.
class Store {
 public:
  Result<SavedStep> Put(std::int64_t step, const StateContents& state, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.notify_all();
    if (!changed_.wait(lock, stop, [&] { return passes_ > 0; })) return Error{ErrorCode::kCancelled, "stopped"};
    --passes_;
    if (failing_.contains(step)) return Error{ErrorCode::kUnavailable, "step " + std::to_string(step) + " failed"};
    std::string text;
    for (const auto storage : state.storages) text += TextOf(storage);
    saved_.emplace_back(step, text);
    return SavedStep{.step = {.number = step, .generation = step}};
  }
  void Pass(int count) {
    const std::scoped_lock lock(mutex_);
    passes_ += count;
    changed_.notify_all();
  }
  void Fail(std::int64_t step) {
    const std::scoped_lock lock(mutex_);
    failing_.insert(step);
  }
  void WaitBegun(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ >= count; });
  }
  [[nodiscard]] std::vector<std::int64_t> Steps() {
    const std::scoped_lock lock(mutex_);
    std::vector<std::int64_t> steps;
    for (const auto& [step, text] : saved_) steps.push_back(step);
    return steps;
  }
  [[nodiscard]] std::string TextOfStep(std::int64_t step) {
    const std::scoped_lock lock(mutex_);
    for (const auto& [one, text] : saved_) {
      if (one == step) return text;
    }
    return "not saved";
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int passes_ = 0;
  int begun_ = 0;
  std::set<std::int64_t> failing_;
  std::vector<std::pair<std::int64_t, std::string>> saved_;
};

class SaveQueueTest : public ::testing::Test {
 protected:
  std::unique_ptr<SaveQueue> Queue(AsyncSaveOptions options) {
    options.on_unreported = [this](const Error& error) { unreported_.push_back(error.message); };
    auto queue = SaveQueue::Create(std::move(options));
    EXPECT_TRUE(queue.ok());
    return *std::move(queue);
  }
  SaveRequest Request(std::int64_t step, std::string_view text) {
    return {.step = step,
            .contents = {.storages = {AsBytes(text)}},
            .commit = [this, step](const StateContents& state, const std::stop_token& stop) {
              return store_.Put(step, state, stop);
            }};
  }

  Store store_;
  std::vector<std::string> unreported_;
};

TEST_F(SaveQueueTest, SavesTheStateAtTheReturnOfAnEagerSave) {
  const auto queue = Queue({});
  std::string state = "before";
  const PendingSave save = *queue->Submit(Request(1, state));
  EXPECT_TRUE(save.is_staged());
  EXPECT_FALSE(save.is_done());
  state = "after!";
  store_.Pass(1);
  EXPECT_EQ(ValueOf(save.WaitCommitted()).step.generation, 1);
  EXPECT_EQ(store_.TextOfStep(1), "before");
}

TEST_F(SaveQueueTest, SavesTheStateAtTheStagingOfALazySave) {
  const auto queue = Queue({.is_lazy = true});
  std::string state = "before";
  const PendingSave save = *queue->Submit(Request(1, state));
  save.WaitStaged();
  state = "after!";
  store_.Pass(1);
  ASSERT_TRUE(save.WaitCommitted().ok());
  EXPECT_EQ(store_.TextOfStep(1), "before");
}

TEST_F(SaveQueueTest, CopiesLargeStatesWithSeveralThreads) {
  const auto queue = Queue({.copy_threads = 3});
  const std::string first = RandomBytes(9'000'001, 1);
  const std::string second = RandomBytes(5'000'007, 2);
  SaveRequest request = Request(1, first);
  request.contents.storages = {AsBytes(first), {}, AsBytes(second), AsBytes("end")};
  const PendingSave save = *queue->Submit(std::move(request));
  store_.Pass(1);
  ASSERT_TRUE(save.WaitCommitted().ok());
  EXPECT_TRUE(store_.TextOfStep(1) == first + second + "end");  // A difference of 14 MB in gigabytes.
}

TEST_F(SaveQueueTest, ReleasesTheStateOnceItIsCopied) {
  const auto queue = Queue({.is_lazy = true});
  auto state = std::make_shared<std::string>("state");
  const std::weak_ptr<std::string> watched = state;
  SaveRequest request = Request(1, *state);
  request.owner = std::move(state);
  const PendingSave save = *queue->Submit(std::move(request));
  save.WaitStaged();
  EXPECT_TRUE(watched.expired());
  store_.Pass(1);
  EXPECT_TRUE(save.WaitCommitted().ok());
}

TEST_F(SaveQueueTest, ReusesItsMemory) {
  internal::SnapshotPool pool;
  auto memory = ValueOf(pool.Take(1000));
  const std::byte* const place = memory.bytes.get();
  pool.GiveBack(std::move(memory));
  memory = ValueOf(pool.Take(900));
  EXPECT_EQ(memory.bytes.get(), place);
  pool.GiveBack(std::move(memory));
  EXPECT_GE(ValueOf(pool.Take(2000)).capacity, 2000U);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // There a failed allocation ends the process.
  EXPECT_EQ(ErrorOf(pool.Take(std::size_t{1} << 62)).code, ErrorCode::kLocalIo);
#endif
}

TEST_F(SaveQueueTest, WaitsAtTheLimitOfSavesInFlight) {
  const auto queue = Queue({});
  const PendingSave first = *queue->Submit(Request(1, "1"));
  std::atomic<bool> is_let_in = false;
  auto second = std::async(std::launch::async, [&] {
    auto save = queue->Submit(Request(2, "2"));
    is_let_in = true;
    return save;
  });
  store_.WaitBegun(1);
  EXPECT_FALSE(is_let_in);
  store_.Pass(2);
  EXPECT_TRUE(second.get()->WaitCommitted().ok());
  EXPECT_THAT(store_.Steps(), ElementsAre(1, 2));
}

TEST_F(SaveQueueTest, RefusesAtTheLimitOfSavesInFlight) {
  const auto queue = Queue({.when_busy = WhenBusy::kRefuse, .max_in_flight = 2});
  const PendingSave first = *queue->Submit(Request(1, "1"));
  const PendingSave second = *queue->Submit(Request(2, "2"));
  EXPECT_EQ(ErrorOf(queue->Submit(Request(3, "3"))).code, ErrorCode::kUnavailable);
  store_.Pass(2);
  ASSERT_TRUE(first.WaitCommitted().ok());
  ASSERT_TRUE(second.WaitCommitted().ok());
}

TEST_F(SaveQueueTest, ReplacesAQueuedSave) {
  const auto queue = Queue({.when_busy = WhenBusy::kReplace, .max_in_flight = 2});
  const PendingSave first = *queue->Submit(Request(1, "1"));
  store_.WaitBegun(1);
  const PendingSave second = *queue->Submit(Request(2, "2"));
  const PendingSave third = *queue->Submit(Request(3, "3"));
  EXPECT_TRUE(
      testing::FailsWith(second.WaitCommitted(), ErrorCode::kCancelled, HasSubstr("took the place of that of step 2")));
  store_.Pass(2);
  ASSERT_TRUE(third.WaitCommitted().ok());
  EXPECT_THAT(store_.Steps(), ElementsAre(1, 3));
}

// Two saves would be lost.
TEST_F(SaveQueueTest, ReplacesAQueuedSaveAlthoughAnotherOneFails) {
  auto queue = Queue({.is_lazy = true, .when_busy = WhenBusy::kReplace, .max_in_flight = 3});
  store_.Fail(1);
  const PendingSave first = *queue->Submit(Request(1, "1"));
  store_.WaitBegun(1);
  std::latch is_copied(1);
  std::latch may_go_on(1);
  SaveRequest second = Request(2, "2");  // The thread that copies waits in its owner's end, so the third is not copied.
  second.owner = std::shared_ptr<const void>(nullptr, [&](const void*) {
    is_copied.count_down();
    may_go_on.wait();
  });
  EXPECT_TRUE(queue->Submit(std::move(second)).ok());
  is_copied.wait();
  SaveRequest third = Request(3, "3");
  third.owner = std::shared_ptr<const void>(nullptr, [&](const void*) {
    store_.Pass(1);
    first.WaitEnded();
  });
  const PendingSave replaced = *queue->Submit(std::move(third));
  const auto fourth = queue->Submit(Request(4, "4"));
  may_go_on.count_down();
  store_.Pass(2);
  EXPECT_EQ(ErrorOf(replaced.WaitCommitted()).code, ErrorCode::kCancelled);
  EXPECT_TRUE(fourth.ok() && fourth->WaitCommitted().ok());
  EXPECT_THAT(store_.Steps(), ElementsAre(2, 4));
  queue.reset();
  EXPECT_THAT(unreported_, ElementsAre("step 1 failed"));
}

TEST_F(SaveQueueTest, ReportsAFailureWithTheNextSave) {
  const auto queue = Queue({});
  store_.Fail(1);
  store_.Pass(2);
  ASSERT_TRUE(queue->Submit(Request(1, "1")).ok());
  EXPECT_EQ(ErrorOf(queue->Submit(Request(2, "2"))).message, "step 1 failed");
  const auto again = queue->Submit(Request(2, "2"));
  ASSERT_TRUE(again.ok()) << "it is reported once";
  EXPECT_TRUE(again->WaitCommitted().ok());
}

TEST_F(SaveQueueTest, ReportsAllFailuresWithOneSave) {
  const auto queue = Queue({.max_in_flight = 3});
  store_.Fail(1);
  store_.Fail(2);
  const PendingSave first = *queue->Submit(Request(1, "1"));
  const PendingSave second = *queue->Submit(Request(2, "2"));
  store_.Pass(3);
  first.WaitEnded();
  second.WaitEnded();
  EXPECT_EQ(ErrorOf(queue->Submit(Request(3, "3"))).message, "step 1 failed; then: step 2 failed");
  EXPECT_TRUE(queue->Submit(Request(4, "4"))->WaitCommitted().ok());
  EXPECT_THAT(store_.Steps(), ElementsAre(4));
}

TEST_F(SaveQueueTest, ReportsAFailureOnce) {
  auto queue = Queue({});
  store_.Fail(1);
  store_.Pass(1);
  EXPECT_EQ(ErrorOf(queue->Submit(Request(1, "1"))->WaitCommitted()).message, "step 1 failed");
  queue.reset();
  EXPECT_THAT(unreported_, ElementsAre());
}

TEST_F(SaveQueueTest, ReportsAFailureAtTheEndAtTheLatest) {
  auto queue = Queue({});
  store_.Fail(1);
  ASSERT_TRUE(queue->Submit(Request(1, "1")).ok());
  store_.Pass(1);
  queue.reset();
  EXPECT_THAT(unreported_, ElementsAre("step 1 failed"));
}

TEST_F(SaveQueueTest, PrintsAFailureIfTheCallbackThrows) {
  auto created = SaveQueue::Create({.on_unreported = [](const Error&) { throw std::runtime_error("no"); }});
  ASSERT_TRUE(created.ok());
  auto queue = *std::move(created);
  store_.Fail(1);
  ASSERT_TRUE(queue->Submit(Request(1, "1")).ok());
  store_.Pass(1);
  ::testing::internal::CaptureStderr();
  queue.reset();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::HasSubstr("step 1 failed"));
}

TEST_F(SaveQueueTest, CatchesExceptions) {
  const auto queue = Queue({});
  SaveRequest request = Request(1, "1");
  request.commit = [](const StateContents&, const std::stop_token&) -> Result<SavedStep> {
    throw std::runtime_error("why");
  };
  const Error error = ErrorOf(queue->Submit(std::move(request))->WaitCommitted());
  EXPECT_THAT(error.message, HasSubstr("step 1 failed: why"));
  EXPECT_EQ(error.outcome, WriteOutcome::kUnknown);
}

TEST_F(SaveQueueTest, WaitsAtTheEnd) {
  auto queue = Queue({.max_in_flight = 3});
  for (const std::int64_t step : {1, 2, 3}) ASSERT_TRUE(queue->Submit(Request(step, "x")).ok());
  store_.Pass(3);
  queue.reset();
  EXPECT_THAT(store_.Steps(), ElementsAre(1, 2, 3));
}

// The save would be cancelled at once if the end of the wait overflowed.
TEST_F(SaveQueueTest, WaitsWithoutLimitAtTheEndIfConfigured) {
  auto queue = Queue({.end_deadline = std::chrono::milliseconds::max()});
  std::latch has_begun(1);
  std::atomic<bool> was_stopped = false;
  SaveRequest request = Request(1, "1");
  request.commit = [&](const StateContents&, const std::stop_token& stop) -> Result<SavedStep> {
    std::binary_semaphore stopped(0);
    const std::stop_callback on_stop(stop, [&] { stopped.release(); });
    has_begun.count_down();
    was_stopped = stopped.try_acquire_for(std::chrono::milliseconds(50));
    return SavedStep();
  };
  ASSERT_TRUE(queue->Submit(std::move(request)).ok());
  has_begun.wait();
  queue.reset();
  EXPECT_FALSE(was_stopped);
}

TEST_F(SaveQueueTest, CancelsAtTheEndIfConfigured) {
  for (const AsyncSaveOptions& options :
       {AsyncSaveOptions{.max_in_flight = 2, .end_deadline = std::chrono::milliseconds(0)},
        AsyncSaveOptions{.max_in_flight = 2, .end_deadline = std::chrono::milliseconds(1)}}) {
    auto queue = Queue(options);
    const PendingSave first = *queue->Submit(Request(1, "1"));
    const PendingSave second = *queue->Submit(Request(2, "2"));
    queue.reset();
    for (const auto& [save, step] : {std::pair(first, "step 1 "), std::pair(second, "step 2 ")}) {
      EXPECT_TRUE(testing::FailsWith(save.WaitCommitted(), ErrorCode::kCancelled,
                                     AllOf(HasSubstr(step), HasSubstr("raise AsyncSaveOptions::end_deadline"))));
    }
    EXPECT_EQ(std::exchange(unreported_, {}).size(), 2U);
  }
}

TEST_F(SaveQueueTest, ReportsWhetherACancelledSaveWasStored) {
  auto queue = Queue({.end_deadline = std::chrono::milliseconds(0)});
  std::latch has_begun(1);
  SaveRequest request = Request(1, "1");
  request.commit = [&](const StateContents&, const std::stop_token& stop) -> Result<SavedStep> {
    std::binary_semaphore stopped(0);
    const std::stop_callback on_stop(stop, [&] { stopped.release(); });
    has_begun.count_down();
    stopped.acquire();
    return Error{.code = ErrorCode::kCancelled, .message = "stopped", .outcome = WriteOutcome::kUnknown};
  };
  const PendingSave save = *queue->Submit(std::move(request));
  has_begun.wait();
  queue.reset();
  EXPECT_EQ(ErrorOf(save.WaitCommitted()).outcome, WriteOutcome::kUnknown);
}

TEST_F(SaveQueueTest, RefusesALimitOfZero) {
  EXPECT_EQ(ErrorOf(SaveQueue::Create({.max_in_flight = 0})).code, ErrorCode::kInvalidArgument);
}

// In every mode: each save is committed, replaced or refused, with the bytes that it was given.
TEST_F(SaveQueueTest, LosesNoSaveOfConcurrentCallers) {
  for (const WhenBusy when_busy : {WhenBusy::kWait, WhenBusy::kRefuse, WhenBusy::kReplace}) {
    for (const bool is_lazy : {false, true}) {
      const auto queue = Queue({.is_lazy = is_lazy, .when_busy = when_busy, .max_in_flight = 3});
      std::atomic<int> told = 0;
      {
        std::vector<std::jthread> callers;
        callers.reserve(4);
        for (int caller = 0; caller < 4; ++caller) {
          callers.emplace_back([&, caller] {
            for (int i = 0; i < 25; ++i) {
              const std::int64_t step = caller * 1000 + i;
              const std::string state = std::to_string(step) + RandomBytes(100, static_cast<std::uint64_t>(step));
              SaveRequest request{.step = step,
                                  .contents = {.storages = {AsBytes(state)}},
                                  .commit = [state, step](const StateContents& copy, const std::stop_token&) {
                                    EXPECT_EQ(TextOf(copy.storages[0]), state);
                                    return Result<SavedStep>(SavedStep{.step = {.generation = step}});
                                  }};
              const auto save = queue->Submit(std::move(request));
              if (save.ok()) save->WaitStaged();
              const bool is_settled = !save.ok() || save->WaitCommitted().ok() ||
                                      ErrorOf(save->WaitCommitted()).code == ErrorCode::kCancelled;
              if (is_settled) ++told;
            }
          });
        }
      }
      EXPECT_EQ(told, 100);
    }
  }
}

/// Saves that other processes wait for, and the result of each in its order.
class SaveQueueGivingUp : public ::testing::Test {
 protected:
  SaveRequest Request(std::int64_t step, std::span<const std::byte> storage) {
    const std::string name = std::to_string(step);
    return {.step = step,
            .contents = {.storages = {storage}},
            .commit = [this, name](const StateContents& copy, const std::stop_token&) -> Result<SavedStep> {
              turns_.push_back("commit " + name + std::string(TextOf(copy.storages[0])));
              if (failing_.contains(name)) return Error{ErrorCode::kUnavailable, "step " + name + " failed"};
              return SavedStep();
            },
            .give_up =
                [this, name](const Error& why, const std::stop_token&) {
                  turns_.push_back("give up " + name);
                  return Error{why.code, "told: " + why.message};
                },
            .number = static_cast<std::uint64_t>(step)};
  }

  std::set<std::string> failing_;
  std::vector<std::string> turns_;
};

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // As above.
// A state that cannot be copied.
TEST_F(SaveQueueGivingUp, ReportsAFailedCopyInOrder) {
  const std::byte one{};
  const std::span<const std::byte> endless(&one, std::size_t{1} << 62);
  for (const bool is_lazy : {false, true}) {
    turns_.clear();
    const auto queue = ValueOf(SaveQueue::Create({.is_lazy = is_lazy, .max_in_flight = 3}));
    EXPECT_TRUE(queue->Submit(Request(1, {})).ok());
    const auto refused = queue->Submit(Request(2, endless));
    const std::string words = is_lazy ? "told: there is no memory" : "there is no memory";
    const Error error = refused.ok() ? ErrorOf(refused->WaitCommitted()) : refused.error();
    EXPECT_EQ(refused.ok(), is_lazy);
    EXPECT_THAT(error.message, ::testing::StartsWith(words));
    EXPECT_TRUE(queue->Submit(Request(3, {})).ok()) << "the failure is known";
    queue->WaitIdle();
    EXPECT_THAT(turns_, ElementsAre("commit 1", "give up 2", "commit 3"));
  }
}
#endif

// The other processes may know of the failure, and save the step.
TEST_F(SaveQueueGivingUp, StartsASaveAlthoughItReportsAnEarlierFailure) {
  for (const bool is_lazy : {false, true}) {
    turns_.clear();
    failing_ = {"1"};
    const auto queue = ValueOf(SaveQueue::Create({.is_lazy = is_lazy}));
    queue->Submit(Request(1, {}))->WaitEnded();
    std::string state = " as it was";
    EXPECT_EQ(ErrorOf(queue->Submit(Request(2, AsBytes(state)))).message, "step 1 failed");
    state = " and is now";
    EXPECT_TRUE(queue->Submit(Request(3, {})).ok()) << "no failure is left";
    queue->WaitIdle();
    EXPECT_THAT(turns_, ElementsAre("commit 1", "commit 2 as it was", "commit 3"));
  }
}

// A faster process would report it with an earlier save than the others.
TEST_F(SaveQueueGivingUp, ReportsAFailureWithTheSameSaveOnAllProcesses) {
  failing_ = {"1"};
  const auto queue = ValueOf(SaveQueue::Create({.max_in_flight = 2}));
  queue->Submit(Request(1, {}))->WaitEnded();
  EXPECT_TRUE(queue->Submit(Request(2, {})).ok()) << "the first may be in flight elsewhere";
  EXPECT_EQ(ErrorOf(queue->Submit(Request(3, {}))).message, "step 1 failed");
  EXPECT_TRUE(queue->Submit(Request(4, {})).ok());
}

}  // namespace
}  // namespace gcsflux
