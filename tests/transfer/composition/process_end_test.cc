// What processes leave behind, for any end.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/load_fault.h"
#include "transfer/composition/composition_test.h"

namespace gcsflux {
namespace {

using namespace std::chrono_literals;

// `composing_program`, which is in the directory of this test.
class ComposingProcess {
 public:
  explicit ComposingProcess(const std::string& endpoint, bool ignores_interrupts = false) {
    const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "composing_program";
    pid_ = fork();
    if (pid_ != 0) return;
    signal(SIGINT, ignores_interrupts ? SIG_IGN : SIG_DFL);  // A shell's background jobs are started with it ignored.
    execl(program.c_str(), program.c_str(), endpoint.c_str(), nullptr);
    _exit(127);
  }
  ~ComposingProcess() {
    if (pid_ > 0) Kill(SIGKILL);
  }
  ComposingProcess(const ComposingProcess&) = delete;
  ComposingProcess& operator=(const ComposingProcess&) = delete;

  void Send(int signal) const { kill(pid_, signal); }
  /// No sent signal is pending. Two of one kind that are pending are one.
  [[nodiscard]] bool HasTakenSignals() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("ShdPnd:")) return line.find_first_not_of('0', line.find_first_of('0')) == std::string::npos;
    }
    return false;
  }
  /// Sends the signal, waits for the end, and returns the signal that ended it; -1 if none did.
  int Kill(int signal) {
    int status = 0;
    Send(signal);
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
  }

 private:
  pid_t pid_ = -1;
};

class ProcessEnd : public testing::CompositionTest {
 protected:
  ProcessEnd() {
    Store(std::vector<std::size_t>(300, 200));
    emulator_.shaping().Set({.read_first_byte_ms = 3, .compose_first_byte_ms = 5, .delete_first_byte_ms = 3});
  }

  // This many composites were made so far.
  [[nodiscard]] std::uint64_t Made() const {
    std::uint64_t made = 0;
    for (const auto& count : emulator_.counters().operations) {
      if (count.operation == "storage.objects.compose" && count.status == 200) made += count.requests;
    }
    return made;
  }
  [[nodiscard]] bool IsComposing() const {
    for (const auto& record : emulator_.journal()) {
      if (record.operation == "storage.objects.compose" && !record.is_finished) return true;
    }
    return false;
  }
  // Kills a process while it runs.
  int KillAfter(std::size_t composites, int signal) {
    const std::uint64_t before = Made();
    ComposingProcess process(emulator_.endpoint());
    while (Made() < before + composites) std::this_thread::yield();
    return process.Kill(signal);
  }
};

TEST_F(ProcessEnd, BySignalsLeavesNothing) {
  for (const int signal : {SIGTERM, SIGINT}) {
    for (const std::size_t composites : {1U, 5U, 40U}) {
      EXPECT_EQ(KillAfter(composites, signal), signal) << "it still ends by the signal";
      EXPECT_EQ(Composites(), 0U) << "signal " << signal << " after " << composites;
    }
  }
}

TEST_F(ProcessEnd, BySignalsWaitsUntilCompositesMayBeDeleted) {
  emulator_.quotas().Set({.object_mutations_per_second = 1});
  EXPECT_EQ(KillAfter(5, SIGTERM), SIGTERM);
  EXPECT_EQ(Composites(), 0U);
  EXPECT_GE(emulator_.quotas().counters().refused_object_mutations, 1U);
}

// While the first one's cleanup still retries.
TEST_F(ProcessEnd, ByASecondSignalSkipsDeletions) {
  testing::LoadFault(emulator_, "unavailable", {.operation = "storage.objects.delete"},
                     {.type = "status", .status = 503});
  const std::uint64_t before = Made();
  ComposingProcess process(emulator_.endpoint());
  while (Made() < before + 8) std::this_thread::yield();
  process.Send(SIGTERM);
  while (!process.HasTakenSignals()) std::this_thread::yield();
  EXPECT_EQ(process.Kill(SIGTERM), SIGTERM);
  EXPECT_GT(Composites(), 0U);
}

TEST_F(ProcessEnd, DoesNotFollowAnIgnoredSignal) {
  const std::uint64_t before = Made();
  ComposingProcess process(emulator_.endpoint(), /*ignores_interrupts=*/true);
  while (Made() < before + 5) std::this_thread::yield();
  process.Send(SIGINT);
  const std::uint64_t then = Made();
  while (Made() < then + 20) std::this_thread::yield();  // It continues.
  EXPECT_EQ(process.Kill(SIGTERM), SIGTERM);
  EXPECT_EQ(Composites(), 0U);
}

TEST_F(ProcessEnd, ByAKillIsCleanedUpAfterwards) {
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::size_t left = 0;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(KillAfter(1 + random() % 60, SIGKILL), SIGKILL);
    left += Composites();
    // A compose that was in flight when the process died may still take effect.
    do {
      const auto cleaned = CleanComposites(client_, "bkt", {.older_than = -1h});
      ASSERT_TRUE(cleaned.ok()) << cleaned.error().message;
    } while (IsComposing() || Composites() > 0);
  }
  EXPECT_GT(left, 0U) << "the process was never killed in the midst of it";
}

}  // namespace
}  // namespace gcsflux
