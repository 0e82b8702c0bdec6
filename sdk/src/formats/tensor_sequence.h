#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/checkpoint.h"

namespace gcsflux::internal {

/// The order in which WriteSafetensors() asks for tensors: in this order, small ones are read together.
bool IsWrittenBefore(const StoredTensor& a, const StoredTensor& b);

/// The bytes of many tensors, one after the other, in bounded memory. Several small tensors are read at once, large
/// ones in pieces. A large tensor whose elements do not follow each other is held whole.
class TensorSequence {
 public:
  /// Borrows the checkpoint. The tensors are requested in this order; parts of it may be repeated.
  TensorSequence(const StoredCheckpoint& checkpoint, std::vector<StoredTensor> tensors)
      : checkpoint_(checkpoint), tensors_(std::move(tensors)) {}

  [[nodiscard]] const std::vector<StoredTensor>& tensors() const { return tensors_; }

  /// Gives the elements of tensor `index` in row-major order. If the tensor fills its storage, it is compared with its
  /// checksum.
  Result<void> Give(std::size_t index, const ByteSink& sink);

 private:
  Result<void> ReadBatch(std::size_t first);
  Result<void> GiveLarge(const StoredTensor& tensor, const ByteSink& sink) const;

  const StoredCheckpoint& checkpoint_;
  const std::vector<StoredTensor> tensors_;
  std::size_t batch_begin_ = 0;
  std::vector<std::string> batch_;
};

}  // namespace gcsflux::internal
