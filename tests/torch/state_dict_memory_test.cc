// The memory that saving and loading add to this process, in addition to the tensors. The emulator, which holds the
// object, is a separate process.
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/types.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/torch/checkpoint_run.h"
#include "gcsflux/torch/state_dict.h"
#include "support/emulator_process.h"
#include "support/process_memory.h"

namespace gcsflux {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;
constexpr std::uint64_t kSpare = 16 * kMiB;

class StateDictMemory : public ::testing::Test {
 protected:
  void SetUp() override { ValueOrThrow(client_.InsertBucket("memory-test")); }
  /// The peak growth during a call.
  template <class Call>
  static std::uint64_t PeakOf(const Call& call) {
    const std::uint64_t before = testing::MemoryFigure(getpid(), "VmRSS");
    testing::ResetPeakMemory(getpid());
    call();
    const std::uint64_t most = testing::MemoryFigure(getpid(), "VmHWM");
    return most - std::min(most, before);
  }
  static NamedTensors OfMebibytes(std::uint64_t count) {
    return {{"tensor", torch::ones({static_cast<std::int64_t>(count * kMiB)}, torch::kUInt8)}};
  }

  const testing::EmulatorProcess emulator_;
  const Client client_ = ValueOrThrow(Client::Create({.endpoint = emulator_.endpoint()}));
  const std::string uri_ = "gs://memory-test/large.pt";
};

TEST_F(StateDictMemory, SavingAddsOnlyPartsInFlight) {
  for (const std::uint64_t mebibytes : {76U, 400U}) {
    const NamedTensors tensors = OfMebibytes(mebibytes);
    const auto added = PeakOf([&] {
      SaveStateDict(client_, uri_, tensors, CheckpointFormat::kTorchFile,
                    {.part_bytes = 8 * kMiB, .part_memory_bytes = 32 * kMiB});
    });
    EXPECT_LE(added, 32 * kMiB + kSpare) << mebibytes;
  }
}

TEST_F(StateDictMemory, LoadingAddsOnlyTensorsAndReadAhead) {
  for (const std::uint64_t mebibytes : {76U, 400U}) {
    SaveStateDict(client_, uri_, OfMebibytes(mebibytes));
    NamedTensors tensors;
    const auto added = PeakOf([&] {
      tensors = ReadTensors(
          ValueOrThrow(OpenCheckpoint(client_, uri_, {.range_bytes = 2 * kMiB, .read_ahead_bytes = 32 * kMiB})));
    });
    EXPECT_EQ(tensors.at(0).second.nbytes(), mebibytes * kMiB);
    EXPECT_LE(added, (mebibytes + 32) * kMiB + kSpare) << mebibytes;
  }
}

// The model has 64 MiB, and its optimizer twice as much.
TEST_F(StateDictMemory, LoadingInPlaceAddsOnlyReadAhead) {
  torch::nn::Linear model(4096, 4096);
  torch::optim::Adam adam(model->parameters());
  for (auto& parameter : model->parameters()) parameter.mutable_grad() = torch::ones_like(parameter);
  adam.step();
  for (auto& parameter : model->parameters()) parameter.mutable_grad().reset();
  RunState state{.modules = {{"model", &*model}}, .optimizers = {{"adam", &adam}}};
  for (const CheckpointFormat format : {CheckpointFormat::kTorchFile, CheckpointFormat::kSafetensors}) {
    CheckpointRun run(client_, "gs://memory-test/run",
                      {.format = format, .reader = {.range_bytes = 2 * kMiB, .read_ahead_bytes = 32 * kMiB}});
    run.Save(1, state, {.mode = CommitMode::kReplace});
    EXPECT_LE(PeakOf([&] { run.Load(1, state, LoadMode::kInPlace); }), 32 * kMiB + kSpare) << FormatName(format);
    EXPECT_GE(PeakOf([&] { run.Load(1, state); }), 160 * kMiB) << "the other mode holds a copy";
  }
}

}  // namespace
}  // namespace gcsflux
