#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "checkpoints/safetensors_state.h"
#include "gcsflux/checkpoints/checkpoint_manifest.h"

namespace gcsflux::internal {

/// Where the bytes of a tensor are stored.
struct StoredPlace {
  StepTensor tensor = {};
  StepFile file = {};
};

/// The tensors of the step that was committed last: a copy of their bytes, and where they are stored. For one thread
/// at a time.
class CommittedTensors {
 public:
  /// For each tensor: where the same bytes of its name, type and shape are stored; null if they are not.
  [[nodiscard]] std::vector<const StoredPlace*> FindEqual(const std::vector<PlainTensor>& tensors) const;

  /// A step was committed: these tensors, which `manifest` names. Copies what has changed. Without memory for that it
  /// knows nothing afterwards.
  void Learn(const std::vector<PlainTensor>& tensors, const CheckpointManifest& manifest);

 private:
  struct Known {
    StoredPlace place;
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };
  static bool IsEqual(const Known& known, const PlainTensor& tensor);

  std::map<std::string, Known, std::less<>> known_;
};

/// Gives the tensors of the last step to one save at a time. A save that gets none writes all of its own. Thread-safe.
class LastCommitted {
 public:
  /// What is known; nothing of it yet for the first save. Null while another save has it.
  std::unique_ptr<CommittedTensors> Take();
  void GiveBack(std::unique_ptr<CommittedTensors> tensors);

 private:
  std::mutex mutex_;
  std::unique_ptr<CommittedTensors> tensors_ = std::make_unique<CommittedTensors>();  // Guarded by mutex_.
};

}  // namespace gcsflux::internal
