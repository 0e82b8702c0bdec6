#include "checkpoints/committed_tensors.h"

#include <cstring>
#include <new>
#include <set>
#include <utility>

#include "formats/bytes/compare_at_once.h"

namespace gcsflux::internal {

bool CommittedTensors::IsEqual(const Known& known, const PlainTensor& tensor) {
  const StepTensor& stored = known.place.tensor;
  if (stored.dtype != tensor.dtype || stored.shape != tensor.shape || known.size != tensor.bytes.size()) return false;
  return tensor.bytes.empty() || std::memcmp(known.bytes.get(), tensor.bytes.data(), known.size) == 0;
}

std::vector<const StoredPlace*> CommittedTensors::FindEqual(const std::vector<PlainTensor>& tensors) const {
  std::vector<const StoredPlace*> equal(tensors.size(), nullptr);
  std::uint64_t bytes = 0;
  for (const PlainTensor& tensor : tensors) bytes += tensor.bytes.size();
  ForEachAtOnce(tensors.size(), bytes, [&](std::size_t i) {
    const auto known = known_.find(tensors[i].name);
    if (known != known_.end() && IsEqual(known->second, tensors[i])) equal[i] = &known->second.place;
  });
  return equal;
}

void CommittedTensors::Learn(const std::vector<PlainTensor>& tensors, const CheckpointManifest& manifest) {
  try {
    std::map<std::string_view, const StepTensor*> stored;
    for (const StepTensor& tensor : manifest.tensors) stored.emplace(tensor.name, &tensor);
    std::erase_if(known_, [&](const auto& one) { return !stored.contains(one.first); });
    for (const PlainTensor& tensor : tensors) {
      const StepTensor& place = *stored.at(tensor.name);
      Known& known = known_[tensor.name];
      const bool is_there = known.place.tensor.name == tensor.name && IsEqual(known, tensor);
      known.place = {.tensor = place, .file = manifest.files[place.file]};
      if (is_there) continue;
      if (known.size != tensor.bytes.size()) {
        known.bytes = std::make_unique_for_overwrite<std::byte[]>(tensor.bytes.size());
        known.size = tensor.bytes.size();
      }
      if (known.size > 0) std::memcpy(known.bytes.get(), tensor.bytes.data(), known.size);
    }
  } catch (const std::bad_alloc&) {
    known_.clear();
  }
}

std::unique_ptr<CommittedTensors> LastCommitted::Take() {
  const MutexLock lock(mutex_);
  return std::exchange(tensors_, nullptr);
}

void LastCommitted::GiveBack(std::unique_ptr<CommittedTensors> tensors) {
  const MutexLock lock(mutex_);
  tensors_ = std::move(tensors);
}

}  // namespace gcsflux::internal
