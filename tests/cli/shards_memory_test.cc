// The memory that `gcsflux shards` needs for 700 MiB, by the peak of its process.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <iostream>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "support/child_program.h"
#include "support/emulator_process.h"

namespace gcsflux {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
// The writers' 96 MiB, and 64.
constexpr std::uint64_t kMost = 160 * kMiB;

class ShardsMemoryTest : public ::testing::Test {
 protected:
  // Composites of one block, which the emulator stores once.
  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("bkt").ok());
    const std::string block(kMiB, 'x');
    ASSERT_TRUE(client_.InsertObject({"bkt", "block"}, AsBytes(block)).ok());
    const std::vector<ComposeSource> once = {{.name = "block"}};
    for (int i = 0; i < 400; ++i) {
      ASSERT_TRUE(client_.ComposeObjects(once, {"bkt", "from/" + std::to_string(1000 + i) + ".bin"}).ok());
    }
    const std::vector<ComposeSource> blocks(30, {.name = "block"});
    ASSERT_TRUE(client_.ComposeObjects(blocks, {"bkt", "large"}).ok());
    const std::vector<ComposeSource> large(10, {.name = "large"});
    ASSERT_TRUE(client_.ComposeObjects(large, {"bkt", "from/2000.large"}).ok());
  }

  void ExpectRuns(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "shards");
    testing::ChildProgram program(GCSFLUX_PROGRAM, arguments, {"STORAGE_EMULATOR_HOST=" + emulator_.endpoint()});
    const std::string errors = program.ReadErrors();
    EXPECT_EQ(program.Wait(), 0) << errors;
    EXPECT_NE(errors.find("401 samples"), errors.npos) << errors;
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);  // Of the programs that have ended; the emulator has not.
    const std::uint64_t peak = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    EXPECT_LE(peak, kMost) << arguments[1];
    EXPECT_GT(peak, 8 * kMiB) << "nothing was measured";
    std::cout << arguments[1] << ": at most " << peak / kMiB << " MiB until now\n";
  }

  testing::EmulatorProcess emulator_;
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
};

TEST_F(ShardsMemoryTest, StaysBelow160MiB) {
  ExpectRuns({"pack", "--max_bytes=100000000", "gs://bkt/from/", "gs://bkt/to/%d.tar"});
  ExpectRuns({"index", "--force", "gs://bkt/to/"});
  ExpectRuns({"unpack", "gs://bkt/to/", "gs://bkt/back/"});
}

}  // namespace
}  // namespace gcsflux
