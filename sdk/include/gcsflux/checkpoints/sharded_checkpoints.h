#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/collective.h"
#include "gcsflux/formats.h"

// A rank's part of the tensors that all ranks save and load together: docs/distributed.md.
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

/// One rank's share of what `world_size` ranks divide.
struct RankShare {
  int rank = 0;
  int world_size = 1;
  std::int64_t dimension = 0;  ///< The dimension of a tensor that is divided.
};

/// The rows [begin, end) of a rank.
struct RowsOfRank {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Divides rows. If they do not divide evenly, the first ranks get one more. If there are fewer rows than ranks, the
/// last ranks get none. A rank that does not exist gets none.
RowsOfRank DivideRows(std::int64_t rows, const RankShare& share);

/// The rank's slice of a tensor, whose dimension DivideRows() divides. Returns kInvalidArgument if the tensor has no
/// such dimension, or there is no such rank.
Result<TensorPart> Sharded(std::string name, DType dtype, std::vector<std::int64_t> shape, const RankShare& share);

// Steps that many processes save and load together: docs/distributed.md. torch/sharded_run.h has them for libtorch.

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

/// What ranks on one machine read together.
enum class ReadSharing {
  kNone,         ///< Each rank reads what it needs.
  kOncePerHost,  ///< If several ranks of a machine need a byte, one of them reads it, and the others copy it.
};

struct ShardedOptions {
  /// If no rank sends or receives a byte, an answer or a message for this long, the call fails on all ranks. Bytes and
  /// answers are those of the service. Messages are those with which ranks go to the next phase of the call. A message,
  /// and a manifest that is written, count only when they are complete. If a rank hangs, the others learn it up to a
  /// quarter later, or 2 s later if that is longer. Raise it if:
  /// - the service may pause for longer,
  /// - ranks begin a call at very different times, or
  /// - rank 0's network takes longer to send the manifest to all ranks.
  std::chrono::milliseconds deadline = std::chrono::seconds(60);
  std::optional<KeepRules> keep = {};  ///< Which steps stay after a save. If absent, all stay.
  StepWriterOptions writer = {};       ///< For rank 0, which is the run's writer.
  UploadOptions file = {};             ///< How each rank writes its file.
  ObjectReaderOptions reader = {};     ///< How each rank reads each file.
  /// Must be the same on all ranks. Set kOncePerHost if several ranks of a machine load the same tensors, or slices
  /// along another dimension than those that were saved. Shared bytes are twice in memory until the load ends. The
  /// processes must run as the same user, and see each other in /proc.
  ReadSharing sharing = ReadSharing::kNone;
};

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
  /// Makes no request. `group` must outlive it.
  ShardedCheckpoints(CheckpointSteps steps, Collective& group, ShardedOptions options = {});
  ShardedCheckpoints(ShardedCheckpoints&&) noexcept;
  ShardedCheckpoints& operator=(ShardedCheckpoints&&) noexcept;
  /// Rank 0 releases the prefix.
  ~ShardedCheckpoints();

  /// Stores the parts of all ranks as a step, with the step, time, metrics and metadata of rank 0's `about`. The
  /// manifest of the result has no tensors. Returns the errors of StepWriter, and kInvalidArgument if ranks contradict
  /// each other, or if their slices overlap or leave a hole.
  Result<SavedStep> Save(const CheckpointManifest& about, std::span<const PartToSave> parts,
                         CommitMode mode = CommitMode::kCreate, const std::stop_token& stop = {});

  /// Takes part in the Save() of the others, and makes it fail on all ranks with this error. Call it on a rank that
  /// cannot make its part; otherwise the others wait for it until the deadline. Returns the error that all ranks get.
  Error FailSave(std::int64_t step, const Error& why, const std::stop_token& stop = {});

  /// Rank 0 reads the manifest, and sends it to all ranks. Returns the errors of CheckpointSteps::Read() and Latest(),
  /// and kInvalidArgument if ranks request different steps.
  Result<LatestStep> Read(std::int64_t step);
  Result<LatestStep> Latest();
  /// As Latest(), skipping a step of which Load() has said that it is gone or damaged, and those of the calls before.
  /// Latest() forgets them.
  Result<LatestStep> LatestExcept(const StoredStep& damaged, const Error& why);

  /// Fills the parts with the step's bytes. With ReadSharing::kNone, each rank reads only the ranges of its own parts.
  /// Returns kUndecodable if the step lacks a tensor, or has it with another type or shape. The message lists such
  /// tensors of all ranks. Returns kCorrupted if the bytes of a stored slice do not have its CRC32C. A slice is
  /// verified if one rank reads all of it, or if ranks together read all of it in pieces of whole rows.
  Result<void> Load(const CheckpointManifest& step, std::span<const PartToLoad> parts,
                    const std::stop_token& stop = {});

  /// Takes part in the Load() of the others, as FailSave() does in a save. Call it on a rank that has no memory for its
  /// parts.
  Error FailLoad(std::int64_t step, const Error& why, const std::stop_token& stop = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Writes one checkpoint as several files: docs/distributed.md.

/// Stores one of the files: StepWriter::WriteFile() for a step, WriteCheckpoint() for a folder.
using ShardWriter = std::function<Result<StepFile>(const std::string& name, const CheckpointWriter& write)>;

struct ShardCheckpointOptions {
  /// Leaves out values that are not tensors. If it is false, such a value is an error that names it.
  bool is_tensors_only = false;
};

/// The files and their tensors, as for a manifest.
struct WrittenShards {
  std::vector<StepFile> files = {};
  std::vector<StepTensor> tensors = {};
};

/// Writes a checkpoint's tensors as `shards` files of safetensors, one after the other. All files get about the same
/// number of bytes: tensors of more than 4096 bytes are divided by rows. The names of the files, and the metadata with
/// the offsets of slices, are those of ShardedCheckpoints. If there are fewer rows than files, fewer files are written,
/// but at least one. Takes as much memory as ConvertCheckpoint(), and reads each tensor twice.
///
/// Returns kInvalidArgument if:
/// - `shards` is below 1 or above 99999,
/// - two tensors have one name,
/// - safetensors lacks a type, or
/// - there are values that are not tensors, without `is_tensors_only`.
/// Returns kCorrupted if the source gives other bytes the second time. After an error some files may exist.
Result<WrittenShards> ShardCheckpoint(const StoredCheckpoint& checkpoint, int shards, const ShardWriter& write_file,
                                      const ShardCheckpointOptions& options = {});

}  // namespace gcsflux
