#include <gtest/gtest.h>
#include <torch/serialize/archive.h>
#include <torch/types.h>

#include <fstream>
#include <string>

#include "gcsflux/torch/archive.h"
#include "support/emulator_process.h"

namespace gcsflux {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

/// "VmRSS" or "VmHWM" of this process, in bytes.
std::int64_t MemoryFigure(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1)) * 1024;
  }
  ADD_FAILURE() << "/proc/self/status has no " << name;
  return 0;
}

/// Makes VmHWM begin again at VmRSS.
void ResetPeak() { ASSERT_TRUE(std::ofstream("/proc/self/clear_refs") << "5" << std::flush); }

TEST(ArchiveMemory, SavingAddsAChunkAndNotTheArchive) {
  const testing::EmulatorProcess emulator;
  const Client client = ValueOrThrow(Client::Create({.endpoint = emulator.endpoint()}));
  ValueOrThrow(client.InsertBucket("memory-test"));
  const torch::Tensor tensor = torch::ones({300 * kMiB}, torch::kUInt8);

  ResetPeak();
  const std::int64_t before = MemoryFigure("VmRSS");
  const ObjectMetadata saved =
      SaveArchive(client, {"memory-test", "large.pt"}, [&](auto& archive) { archive.write("tensor", tensor); });
  const std::int64_t added = MemoryFigure("VmHWM") - before;

  EXPECT_GT(saved.size, std::uint64_t{300 * kMiB});
  EXPECT_LT(added, 64 * kMiB);
}

}  // namespace
}  // namespace gcsflux
