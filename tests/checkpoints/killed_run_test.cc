// A run that is killed while it takes a prefix over, saves, replaces and removes: the latest step is whole, and what is
// left over is removed by the next run, and nothing else.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "checkpoints/run_fixture.h"

namespace gcsflux {
namespace {

using testing::RunFixture;
using ::testing::StartsWith;
using testing::ValueOf;

class KilledRunTest : public RunFixture {
 protected:
  static constexpr int kMostRequests = 40;

  // In a child: a run, whose steps are saved, replaced and removed by chance.
  [[noreturn]] void Live(unsigned seed) const {
    std::mt19937 random(seed);
    auto writer = Start(true);
    if (!writer.ok()) ::_exit(1);
    const auto latest = Steps().Latest();
    std::int64_t step = latest.ok() ? latest->stored.manifest.step : 0;
    bool is_ok = true;
    for (int i = 0; i < 20 && is_ok; ++i) {
      const std::string text = " in the run of seed " + std::to_string(seed);
      switch (random() % 4) {
        case 0: is_ok = Save(*writer, step, CommitMode::kReplace, TextOfStep(step) + text).ok(); break;
        case 1: is_ok = writer->Keep({.last = 2}).ok(); break;
        default: ++step; is_ok = Save(*writer, step, CommitMode::kCreate, TextOfStep(step) + text).ok();
      }
    }
    ::_exit(is_ok ? 0 : 2);
  }

  // Once the service has answered so many of its requests. True where it was still running.
  bool KillAfter(pid_t child, std::size_t requests) {
    const std::size_t before = emulator_.journal().size();
    int status = 0;
    while (emulator_.journal().size() < before + requests) {
      if (::waitpid(child, &status, WNOHANG) == child) {
        EXPECT_EQ(status, 0);
        return false;
      }
      std::this_thread::yield();
    }
    ::kill(child, SIGKILL);
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
  }

  [[nodiscard]] bool HasHint() const { return client_.GetObject({"bkt", "runs/7/latest"}).ok(); }

  // Every byte of every step that is said to be whole.
  void ExpectWholeStepsAreRight() const {
    for (const std::int64_t step : WholeSteps()) {
      const auto text = Load(ValueOf(Steps().Read(step)));
      ASSERT_TRUE(text.ok()) << text.error().message;
      EXPECT_THAT(*text, StartsWith(TextOfStep(step)));
    }
  }
};

TEST_F(KilledRunTest, LeavesWholeStepsAndWhatTheNextRunRemoves) {
  int killed = 0;
  std::int64_t newest = -1;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) Live(seed);
    std::mt19937 random(seed);
    killed += KillAfter(child, 1 + random() % kMostRequests) ? 1 : 0;
    const auto latest = Steps().Latest();
    if (newest >= 0) {
      ASSERT_TRUE(latest.ok()) << latest.error().message;
      EXPECT_GE(latest->stored.manifest.step, newest) << "a step that was there is lost";
    }
    if (latest.ok()) newest = latest->stored.manifest.step;
    ExpectWholeStepsAreRight();
    auto writer = Start(true);
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    // What the service was still doing for the child may come later.
    std::size_t names = 0;
    do {
      ASSERT_TRUE(writer->Keep({}).ok());
      names = Names().size();
    } while (names != 1 + 2 * WholeSteps().size() + (HasHint() ? 1 : 0));
    ExpectWholeStepsAreRight();
  }
  EXPECT_GE(killed, 20);
  EXPECT_GE(newest, 20);
}

}  // namespace
}  // namespace gcsflux
