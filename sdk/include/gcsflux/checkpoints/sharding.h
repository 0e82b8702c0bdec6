#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"

// What many processes save and load together, and one checkpoint in several files: docs/distributed.md.
namespace gcsflux {

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

/// What ranks on one machine read together.
enum class ReadSharing {
  kNone,         ///< Each rank reads what it needs.
  kOncePerHost,  ///< If several ranks of a machine need a byte, one of them reads it, and the others copy it.
};

/// For all ranks of a group.
struct GroupOptions {
  /// If no rank sends or receives a byte, an answer or a message for this long, the call fails on all ranks. Bytes and
  /// answers are those of the service. Messages are those with which ranks go to the next phase of the call. A message,
  /// and a manifest that is written, count only when they are complete. If a rank hangs, the others learn it up to a
  /// quarter later, or 2 s later if that is longer. Raise it if:
  /// - the service may pause for longer,
  /// - ranks begin a call at very different times, or
  /// - rank 0's network takes longer to send the manifest to all ranks.
  std::chrono::milliseconds deadline = std::chrono::seconds(60);
  /// Must be the same on all ranks. Set kOncePerHost if several ranks of a machine load the same tensors, or slices
  /// along another dimension than those that were saved. Shared bytes are twice in memory until the load ends. The
  /// processes must run as the same user, and see each other in /proc.
  ReadSharing sharing = ReadSharing::kNone;
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
/// the offsets of slices, are those of a group. If there are fewer rows than files, fewer files are written,
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
