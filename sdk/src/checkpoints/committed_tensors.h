#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/process/mutex.h"
#include "checkpoints/manifest.h"
#include "checkpoints/safetensors_state.h"

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
  /// For each tensor: where the same bytes of its name, type and shape are stored. Null if they are not stored.
  [[nodiscard]] std::vector<const StoredPlace*> FindEqual(const std::vector<PlainTensor>& tensors) const;

  /// Call it when a step with these tensors was committed; `manifest` names them. Copies what has changed. If there is
  /// no memory for that, forgets all tensors.
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

/// Gives the tensors of the last step to one save at a time. A save that gets none writes all its tensors. Thread-safe.
class LastCommitted {
 public:
  /// Returns the tensors of the last step. The first save gets an empty object. Returns null while another save has
  /// them.
  std::unique_ptr<CommittedTensors> Take();
  void GiveBack(std::unique_ptr<CommittedTensors> tensors);

 private:
  Mutex mutex_;
  std::unique_ptr<CommittedTensors> tensors_ GUARDED_BY(mutex_) = std::make_unique<CommittedTensors>();
};

}  // namespace gcsflux::internal
