// kill -9 at random points under load: what was acknowledged is there afterwards. --gtest_repeat or GCSFLUX_KILLS=60
// for more.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "emulator/persistence/killed_writers.h"
#include "emulator/support/raw_connection.h"
#include "support/emulator_process.h"
#include "support/test_directory.h"

namespace gcsflux::emulator {
namespace {

using gcsflux::testing::EmulatorProcess;

constexpr int kWriters = 4;

class KillTest : public ::testing::Test {
 protected:
  KillTest() {
    std::cout << "seed " << seed_ << "\n";
    for (int i = 0; i < kWriters; ++i) writers_.push_back(std::make_unique<KilledWriter>(i, random_()));
    Start();
    RawConnection(emulator_->endpoint()).Call("POST", "/storage/v1/b", "", R"({"name":"bkt"})");
  }

  void Start() {
    emulator_.reset();
    emulator_ = std::make_unique<EmulatorProcess>(
        std::vector<std::string>{"--data_dir=" + (directory_.path() / "data").string()});
  }

  // Runs the writers until they have so many answers, or until `until` is true, and then kills the server.
  template <class Until>
  void KillOnce(const Until& until) {
    std::atomic<int> acknowledged = 0;
    std::vector<std::thread> threads;
    for (const auto& writer : writers_) {
      threads.emplace_back([&] { writer->Run(emulator_->endpoint(), acknowledged); });
    }
    while (!until(acknowledged.load())) std::this_thread::yield();
    ASSERT_EQ(::kill(emulator_->pid(), SIGKILL), 0);
    for (std::thread& thread : threads) thread.join();
    total_ += acknowledged;
    Start();
    Compare();
  }

  void Compare() {
    RawConnection connection(emulator_->endpoint());
    for (const auto& writer : writers_) {
      for (const std::string& name : writer->Compare(connection)) ADD_FAILURE() << name << " is another one";
    }
  }

  const std::uint64_t seed_ = std::random_device()();
  std::mt19937_64 random_{seed_};
  const gcsflux::testing::TestDirectory directory_;
  std::vector<std::unique_ptr<KilledWriter>> writers_;
  std::unique_ptr<EmulatorProcess> emulator_;
  int total_ = 0;
};

TEST_F(KillTest, LosesNothingThatWasAcknowledged) {
  const char* kills = std::getenv("GCSFLUX_KILLS");
  const int count = kills != nullptr ? std::atoi(kills) : 20;
  for (int i = 0; i < count; ++i) {
    const int answers = static_cast<int>(random_() % 200);
    KillOnce([answers](int acknowledged) { return acknowledged >= answers; });
  }
  std::cout << count << " kills, " << total_ << " acknowledged requests\n";
}

// A limit of file sizes stands for a disk without space.
TEST_F(KillTest, FullDiskRefusesAndLosesNothing) {
  KillOnce([](int acknowledged) { return acknowledged >= 50; });
  rlimit before{};
  ASSERT_EQ(::prlimit(emulator_->pid(), RLIMIT_FSIZE, nullptr, &before), 0);
  const rlimit limit{1 << 20, before.rlim_max};
  ASSERT_EQ(::prlimit(emulator_->pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
  RawConnection connection(emulator_->endpoint());
  const std::string insert = "/upload/storage/v1/b/bkt/o?uploadType=media&name=";
  int stored = 0;
  while (connection.Call("POST", insert + "big" + std::to_string(stored), "", std::string(100'000, 'x')).status ==
         200) {
    ASSERT_LT(++stored, 100) << "the limit has no effect";
  }
  const std::string refused = "big" + std::to_string(stored);
  const RawResponse response = connection.Call("POST", insert + refused, "", std::string(100'000, 'x'));
  EXPECT_EQ(response.status, 503);
  EXPECT_NE(response.body.find("backendError"), std::string::npos) << response.body;
  EXPECT_EQ(connection.Call("GET", "/storage/v1/b/bkt/o/" + refused).status, 404);
  Compare();
  ASSERT_EQ(::prlimit(emulator_->pid(), RLIMIT_FSIZE, &before, nullptr), 0);
  EXPECT_EQ(connection.Call("POST", insert + "after", "", "x").status, 200);
  ASSERT_EQ(::kill(emulator_->pid(), SIGKILL), 0);
  Start();
  Compare();
  RawConnection again(emulator_->endpoint());
  for (int i = 0; i < stored; ++i) {
    EXPECT_EQ(again.Call("GET", "/storage/v1/b/bkt/o/big" + std::to_string(i)).status, 200) << i;
  }
  EXPECT_EQ(again.Call("GET", "/storage/v1/b/bkt/o/" + refused).status, 404);
  EXPECT_EQ(again.Call("GET", "/storage/v1/b/bkt/o/after").status, 200);
}

}  // namespace
}  // namespace gcsflux::emulator
