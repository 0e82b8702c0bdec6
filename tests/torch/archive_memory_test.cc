// What saving and loading add to this process, beside the tensors. The emulator, which holds the object, is a process
// of its own.
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/serialize/archive.h>
#include <torch/types.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "gcsflux/torch/archive.h"
#include "gcsflux/torch/checkpoint.h"
#include "support/emulator_process.h"
#include "support/process_memory.h"

namespace gcsflux {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;
constexpr std::uint64_t kSpare = 16 * kMiB;

class ArchiveMemory : public ::testing::Test {
 protected:
  void SetUp() override { ValueOrThrow(client_.InsertBucket("memory-test")); }
  /// What a call adds at its peak.
  template <class Call>
  static std::uint64_t PeakOf(const Call& call) {
    const std::uint64_t before = testing::MemoryFigure(getpid(), "VmRSS");
    testing::ResetPeakMemory(getpid());
    call();
    const std::uint64_t most = testing::MemoryFigure(getpid(), "VmHWM");
    return most - std::min(most, before);
  }
  static torch::Tensor OfMebibytes(std::uint64_t count) {
    return torch::ones({static_cast<std::int64_t>(count * kMiB)}, torch::kUInt8);
  }
  void Save(const torch::Tensor& tensor, const ParallelWriterOptions& options = {}) const {
    SaveArchive(
        client_, object_, [&](auto& archive) { archive.write("tensor", tensor); }, options);
  }

  const testing::EmulatorProcess emulator_;
  const Client client_ = ValueOrThrow(Client::Create({.endpoint = emulator_.endpoint()}));
  const ObjectName object_{"memory-test", "large.pt"};
};

TEST_F(ArchiveMemory, SavingAddsThePartsInFlightWhateverTheSize) {
  for (const std::uint64_t mebibytes : {76U, 400U}) {
    const torch::Tensor tensor = OfMebibytes(mebibytes);
    const auto added = PeakOf([&] { Save(tensor, {.part_bytes = 8 * kMiB, .part_memory_bytes = 32 * kMiB}); });
    EXPECT_LE(added, 32 * kMiB + kSpare) << mebibytes;
  }
}

TEST_F(ArchiveMemory, LoadingAddsTheTensorsAndWhatIsReadAheadWhateverTheSize) {
  for (const std::uint64_t mebibytes : {76U, 400U}) {
    Save(OfMebibytes(mebibytes));
    torch::Tensor tensor;
    const auto added = PeakOf([&] {
      LoadArchive(client_, object_, [&](auto& archive) { archive.read("tensor", tensor); },
                  {.stripe_bytes = 2 * kMiB, .read_ahead_bytes = 32 * kMiB});
    });
    EXPECT_EQ(tensor.nbytes(), mebibytes * kMiB);
    EXPECT_LE(added, (mebibytes + 32) * kMiB + kSpare) << mebibytes;
  }
}

TEST_F(ArchiveMemory, ACheckpointIsHeldOnceBesideTheModule) {
  torch::nn::Module module;
  for (int i = 0; i < 50; ++i) {
    module.register_parameter("weight" + std::to_string(i), torch::ones({static_cast<std::int64_t>(kMiB)}));
  }
  TrainingState state{.module = &module};
  SaveCheckpoint(client_, object_, state);
  const auto added = PeakOf(
      [&] { LoadCheckpoint(client_, object_, state, {.stripe_bytes = 2 * kMiB, .read_ahead_bytes = 32 * kMiB}); });
  EXPECT_LE(added, (200 + 32) * kMiB + kSpare);
}

}  // namespace
}  // namespace gcsflux
