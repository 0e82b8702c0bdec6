#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/checkpoints/step_writer.h"
#include "gcsflux/checkpoints/tensor_part.h"
#include "gcsflux/collective.h"

// Steps that many processes save and load together: docs/distributed.md. torch/sharded_run.h has them for libtorch.
namespace gcsflux {

/// A part with its elements, which follow each other, the last dimension fastest. Borrowed.
struct PartToSave {
  TensorPart part = {};
  std::span<const std::byte> bytes = {};
};

/// A part that is wanted, and where its elements go.
struct PartToLoad {
  TensorPart part = {};
  std::span<std::byte> into = {};
};

/// What ranks on one machine read together.
enum class ReadSharing {
  kNone,         ///< Each rank reads what it needs.
  kOncePerHost,  ///< A byte that several ranks of a machine need is read by one of them, and copied to the others.
};

struct ShardedOptions {
  /// A call fails on all ranks once nothing has moved on any of them for so long: no byte from or to the service, no
  /// answer, and no message by which ranks pass from one phase of the call to the next. If a rank hangs, the others
  /// learn it up to a quarter later, or 2 s if that is longer. Raise it if the service may stand still for longer, if
  /// ranks begin a call at very different times, or if rank 0's network takes longer to send the manifest to all ranks:
  /// a message, or a manifest that is written, moves when all of it is there.
  std::chrono::milliseconds deadline = std::chrono::seconds(60);
  std::optional<KeepRules> keep = {};  ///< Which steps stay after a save. Absent: all.
  StepWriterOptions writer = {};       ///< Of rank 0, which is the run's writer.
  ParallelWriterOptions file = {};     ///< How each rank writes its file.
  ObjectReaderOptions reader = {};     ///< How each rank reads each file.
  /// The same on all ranks. Set kOncePerHost if several ranks of a machine load the same tensors, or slices along
  /// another dimension than those that were saved. Shared bytes are twice in memory until the load has ended. The
  /// processes must run as one user, and see each other in /proc.
  ReadSharing sharing = ReadSharing::kNone;
};

/// The steps of a run, saved and loaded by all ranks of a group: each writes and reads its own part.
///
/// All ranks make the same calls in the same order, and all get the same result. If one rank fails, is cancelled, ends,
/// or stands still until the deadline, the call fails on all of them: the message names the rank and the cause, the
/// steps are as they were, and the memory of parts to load is undefined. From the moment when rank 0 writes the
/// manifest, the step may be there although the save fails: all of it, and older ones may be removed already. A rank
/// that ends, hangs until the deadline, or makes another kind of call (a load where the others save) also breaks the
/// group: collective.h. A rank that is cancelled waits for the others for at most 2 s, also if one hangs. For one
/// thread at a time.
///
/// A step has a file of safetensors for each rank that writes, which PyTorch's distributed checkpoints can read, and a
/// manifest that rank 0 writes last. What several ranks have is written once. The number of ranks and the slices may be
/// others when it is loaded; a step that one process saved by CheckpointRun can be loaded too.
class ShardedCheckpoints {
 public:
  /// Makes no request. `group` must outlive it.
  ShardedCheckpoints(CheckpointSteps steps, Collective& group, ShardedOptions options = {});
  ShardedCheckpoints(ShardedCheckpoints&&) noexcept;
  ShardedCheckpoints& operator=(ShardedCheckpoints&&) noexcept;
  /// On rank 0 gives the prefix up.
  ~ShardedCheckpoints();

  /// Stores the parts of all ranks as a step. Of `about`, rank 0's step, time, metrics and metadata are stored. Errors
  /// are those of StepWriter, and kInvalidArgument if ranks contradict each other, or their slices overlap or leave a
  /// hole. The tensors of the result's manifest are left out.
  Result<SavedStep> Save(const CheckpointManifest& about, std::span<const PartToSave> parts,
                         CommitMode mode = CommitMode::kCreate, const std::stop_token& stop = {});

  /// Takes part in the Save() of the others, and makes it fail on all ranks with this error. For a rank that cannot
  /// make its part: else the others would wait for it until the deadline. Returns the error as all ranks get it.
  Error FailSave(std::int64_t step, const Error& why, const std::stop_token& stop = {});

  /// Rank 0 reads the manifest, and gives it to all. Errors as of CheckpointSteps::Read() and Latest();
  /// kInvalidArgument if ranks ask for other steps.
  Result<LatestStep> Read(std::int64_t step);
  Result<LatestStep> Latest();

  /// Fills the parts with the step's bytes. Each rank reads only the ranges of its own parts. kUndecodable if the step
  /// lacks a tensor, or has it with another type or shape: the message lists such tensors of all ranks. kCorrupted if
  /// the bytes of a stored slice do not have its CRC32C. A slice is verified if one rank reads all of it, or if ranks
  /// read it in pieces of whole rows that together are all of it.
  Result<void> Load(const CheckpointManifest& step, std::span<const PartToLoad> parts,
                    const std::stop_token& stop = {});

  /// Takes part in the Load() of the others, as FailSave() does in a save: for a rank that has no memory for its parts.
  Error FailLoad(std::int64_t step, const Error& why, const std::stop_token& stop = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gcsflux
