#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoints/committed_tensors.h"
#include "checkpoints/latest_step.h"
#include "checkpoints/step_writer.h"
#include "gcsflux/checkpoints/saves.h"
#include "gcsflux/formats.h"
#include "gcsflux/run_environment.h"
#include "sharding/ranks/message_group.h"

// Steps that many processes save and load together: docs/distributed.md.
namespace gcsflux {

/// A tensor, or a slice of it. If several ranks have the same slice, or the whole, these are copies.
struct TensorPart {
  std::string name = {};
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape = {};  ///< Of the whole tensor.
  /// The begin and the length of the slice in each dimension of the whole tensor. Both are empty for the whole tensor.
  std::vector<std::int64_t> offsets = {};
  std::vector<std::int64_t> sizes = {};

  /// The slice's own shape.
  [[nodiscard]] const std::vector<std::int64_t>& OwnShape() const { return sizes.empty() ? shape : sizes; }
  friend bool operator==(const TensorPart&, const TensorPart&) = default;
};

/// The rank's slice of a tensor, whose dimension DivideRows() divides. Returns kInvalidArgument if the tensor has no
/// such dimension, or there is no such rank.
Result<TensorPart> Sharded(std::string name, DType dtype, std::vector<std::int64_t> shape, const RunEnvironment& run,
                           std::int64_t divided_dimension = 0);

/// A part with its elements, which follow each other, the last dimension fastest. Borrowed.
struct PartToSave {
  TensorPart part = {};
  std::span<const std::byte> bytes = {};
};

/// A part to load, and the memory for its elements.
struct PartToLoad {
  TensorPart part = {};
  std::span<std::byte> into = {};
};

struct ShardedOptions {
  std::chrono::milliseconds deadline = std::chrono::seconds(60);  ///< As CheckpointRunOptions::group_deadline.
  bool reads_once_per_host = false;                               ///< As CheckpointRunOptions::reads_once_per_host.
  std::optional<KeepRules> keep = {};  ///< Which steps stay after a save. If absent, all stay.
  bool take_over = false;              ///< As CheckpointRunOptions::take_over, for rank 0: the run's writer.
  UploadOptions file = {};             ///< How each rank writes its file.
  ObjectReaderOptions reader = {};     ///< How each rank reads each file.
  bool reads_values = false;           ///< Whether Read() and Latest() read the step's values.
  bool skip_unchanged = false;         ///< As CheckpointRunOptions::skip_unchanged, for each rank's slices.
};

namespace internal {

/// What a rank knows of the saves before.
struct SavedSteps {
  std::optional<StepWriter> writer = {};  ///< Rank 0's, from the first save on.
  std::vector<StepFile> files = {};       ///< On rank 0: those of the last step.
  CommittedTensors tensors = {};          ///< This rank's slices of the last step, with skip_unchanged.
};

}  // namespace internal

/// Saves and loads the steps of a run on all ranks of a group. Each rank writes and reads its own part.
///
/// All ranks make the same calls in the same order, and all get the same result. If one rank fails, is cancelled, ends
/// or hangs, the call fails on all ranks. The message names the rank and the cause, the steps are unchanged, and the
/// memory of parts to load is undefined. After rank 0 begins to write the manifest, the whole step may exist although
/// the save failed, and older steps may be removed.
///
/// A rank also breaks the group (collective.h) if it ends, hangs until the deadline, or makes another kind of call,
/// such as a load while the others save. A cancelled rank waits for the others for at most 2 s, even if one hangs. For
/// one thread at a time.
///
/// A step has a safetensors file for each rank that writes, and a manifest that rank 0 writes last. PyTorch's
/// distributed checkpoints can read these files. What several ranks have is written once. Another number of ranks can
/// load a step, with other slices. A step that CheckpointRun saved can be loaded too.
class ShardedCheckpoints {
 public:
  /// Makes no request. Has a store of its own: if the ranks stop its requests, those of `steps` continue. `group` must
  /// outlive it.
  ShardedCheckpoints(const std::shared_ptr<internal::StepStore>& steps, Collective& group, ShardedOptions options = {});
  ShardedCheckpoints(const ShardedCheckpoints&) = delete;
  ShardedCheckpoints& operator=(const ShardedCheckpoints&) = delete;
  /// Rank 0 releases the prefix.
  ~ShardedCheckpoints();

  /// Stores the parts of all ranks as a step, with the step, time, metrics and metadata of rank 0's `about`. The
  /// manifest of the result has no tensors. Returns the errors of StepWriter, and kInvalidArgument if ranks contradict
  /// each other, or if their slices overlap or leave a hole. Rank 0's `values` (formats/state_json.h) are stored too.
  Result<SavedStep> Save(const CheckpointManifest& about, std::span<const PartToSave> parts,
                         CommitMode mode = CommitMode::kCreate, const std::stop_token& stop = {},
                         std::string_view values = {});

  /// Takes part in the Save() of the others, and makes it fail on all ranks with this error. Call it on a rank that
  /// cannot make its part; otherwise the others wait for it until the deadline. Returns the error that all ranks get.
  Error FailSave(std::int64_t step, const Error& why, const std::stop_token& stop = {});

  /// Rank 0 reads the manifest and the values, and sends them to all ranks. Returns the errors of
  /// CheckpointSteps::Read() and Latest(), and kInvalidArgument if ranks request different steps.
  Result<internal::LatestStored> Read(std::int64_t step);
  Result<internal::LatestStored> Latest();
  /// As Latest(), skipping a step of which Load() has said that it is gone or damaged, and those of the calls before.
  /// Latest() forgets them.
  Result<internal::LatestStored> LatestExcept(const StoredStep& damaged, const Error& why);

  /// The values (formats/state_json.h) of the step that was read last. Empty if it has none.
  [[nodiscard]] const std::string& values() const { return values_; }

  /// Rank 0 removes a step.
  Result<void> Remove(std::int64_t step);

  /// Fills the parts with the step's bytes. Without reads_once_per_host, each rank reads only the ranges
  /// of its own parts. Returns kUndecodable if the step lacks a tensor, or has it with another type or shape. The
  /// message lists such tensors of all ranks. Returns kCorrupted if the bytes of a stored slice do not have its CRC32C.
  /// A slice is verified if one rank reads all of it, or if ranks together read all of it in chunks of whole rows.
  Result<void> Load(const CheckpointManifest& step, std::span<const PartToLoad> parts,
                    const std::stop_token& stop = {});

  /// Takes part in the Load() of the others, as FailSave() does in a save. Call it on a rank that has no memory for its
  /// parts.
  Error FailLoad(std::int64_t step, const Error& why, const std::stop_token& stop = {});

 private:
  template <class Act>
  Result<std::string> OnRank0(const std::string& call, const Act& act);
  template <class ReadStep>
  Result<internal::LatestStored> ReadOnRank0(const std::string& which, const ReadStep& read);
  [[nodiscard]] Error Named(const char* call, std::int64_t step, Error error) const;

  const std::shared_ptr<internal::StepStore> steps_;
  internal::MessageGroup& group_;
  const ShardedOptions options_;
  std::string values_;
  std::vector<internal::DamagedStep> damaged_;  // Since the last Latest().
  internal::SavedSteps saved_;
};

}  // namespace gcsflux
