// The foundation: a fork waits for partial writes, and for nothing else.
#include "base/process/leaf_section.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/process/mutex.h"
#include "base/process/owner_process.h"
#include "base/process/per_process.h"
#include "fork/child.h"

namespace gcsflux::internal {
namespace {

using testing::InChild;

TEST(LeafSectionTest, ChildSeesNoPartialWrite) {
  LeafMutex mutex;
  int left = 0;
  int right = 0;
  std::vector<std::jthread> writers;
  writers.reserve(4);
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const std::scoped_lock lock(mutex);
        ++left;
        std::this_thread::yield();
        ++right;
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(InChild([&] {
                const std::scoped_lock lock(mutex);
                return left == right ? std::string() : std::string("half written");
              }),
              "");
  }
}

TEST(LeafSectionTest, NestsAndAllowsForkInside) {
  const LeafSection outer;
  const LeafSection inner;
  EXPECT_EQ(InChild([] {
              const LeafSection in_child;
              return InChild([] { return std::string(); });
            }),
            "");
}

TEST(LeafSectionTest, UserCodeCanWaitForAnotherThreadsFork) {
  const LeafSection leaf;
  const UserCodeSection user_code;
  std::thread([] { EXPECT_EQ(InChild([] { return std::string(); }), ""); }).join();
}

TEST(LeafSectionTest, SerialisesConcurrentForks) {
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int j = 0; j < 20; ++j) EXPECT_EQ(InChild([] { return std::string(); }), "");
    });
  }
}

TEST(PerProcessTest, GivesAChildItsOwnValue) {
  const PerProcess<int> number(
      [](const int* of_parent) { return std::make_unique<int>(of_parent == nullptr ? 1 : *of_parent + 1); });
  int& of_parent = number.Get();
  EXPECT_EQ(of_parent, 1);
  EXPECT_EQ(InChild([&] {
              if (number.Get() != 2 || *number.Share() != 2 || of_parent != 1) return std::string("not its own");
              return InChild([&] { return number.Get() == 3 ? std::string() : std::string("not a grandchild's"); });
            }),
            "");
  EXPECT_EQ(&number.Get(), &of_parent);
}

TEST(PerProcessTest, DestroysNoValueOfTheParent) {
  struct Loud {
    explicit Loud(std::atomic<int>& ends) : ends_(ends) {}
    ~Loud() { ++ends_; }
    std::atomic<int>& ends_;
  };
  std::atomic<int> ends = 0;
  auto loud = OwnedByProcess(std::make_unique<Loud>(ends));
  EXPECT_EQ(InChild([&] {
              loud.reset();
              return ends == 0 ? std::string() : std::string("destroyed");
            }),
            "");
  loud.reset();
  EXPECT_EQ(ends, 1);
}

}  // namespace
}  // namespace gcsflux::internal
