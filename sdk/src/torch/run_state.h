#pragma once

#include <vector>

#include "checkpoints/state_file.h"
#include "gcsflux/torch/checkpoint_run.h"
#include "sharding/sharded_checkpoints.h"
#include "torch/pending_reads.h"
#include "torch/state_dict_writer.h"

// A run's state as a value of torch.save, and back.
namespace gcsflux {

/// The slices are entries of the value beside the members. Throws StorageError with kInvalidArgument if a name is
/// empty, has a '.' or occurs twice, and for what StateDictWriter refuses.
GatheredState GatherState(const RunState& state);

/// Shares the memory of `gathered`, which must outlive the result.
internal::StateContents ContentsOf(const GatheredState& gathered);

/// In a group, the generators of the ranks from 1 on have the rank's number behind their names.
std::string GeneratorName(const std::string& name, int rank);

/// A load of a state: compares it with the step, then has memory for all tensors to be read, and then changes it.
/// Each step may throw StorageError. Nothing changes before Change(), except with kInPlace.
class StateLoad {
 public:
  /// Borrows both. `rank` is 0 if there is no group.
  StateLoad(const StoredCheckpoint& checkpoint, RunState& state, LoadMode mode, int rank);

  /// All tensors to read, except slices.
  [[nodiscard]] std::span<const TensorRead> reads() const { return reads_.reads(); }
  [[nodiscard]] const std::vector<PartToLoad>& slices() const { return slices_; }
  /// Whether the state names all that the step holds.
  [[nodiscard]] bool is_whole() const { return is_whole_; }

  /// Call it when all is read.
  void Check() const { reads_.RunChecks(); }
  void Change();

 private:
  void AddTensors(const StoredCheckpoint& checkpoint, const pickled::Dict& root, const std::string& member,
                  NamedTensors& given);
  void AddGenerator(const StoredCheckpoint& checkpoint, const std::string& name, at::Generator generator, int rank);
  void AddSlice(const std::string& name, const ShardedTensor& slice);

  RunState& state_;
  RunState values_;  // The step's numbers, texts and cursor.
  PendingReads reads_;
  std::vector<PartToLoad> slices_;
  std::vector<at::Tensor> slice_memory_;
  bool is_whole_ = false;
};

/// The slice as a part, without its bytes.
TensorPart PartOf(const std::string& name, const ShardedTensor& slice);

}  // namespace gcsflux
