#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/stored_checkpoint.h"

namespace gcsflux::internal {

/// The order in which WriteSafetensors() asks for tensors: in this order, small ones are read together.
bool IsWrittenBefore(const StoredTensor& a, const StoredTensor& b);

/// The bytes of many tensors, one after the other, in bounded memory. Several small tensors are read at once, large
/// ones in chunks. A large tensor whose elements do not follow each other is held whole.
class TensorSequence {
 public:
  /// Borrows the checkpoint. The tensors are requested in this order; parts of it may be repeated.
  TensorSequence(const StoredCheckpoint& checkpoint, std::vector<StoredTensor> tensors)
      : checkpoint_(checkpoint), tensors_(std::move(tensors)) {}

  /// Gives the elements of tensor `index` in row-major order. If the tensor fills its storage, it is compared with its
  /// checksum.
  Result<void> Give(std::size_t index, const ByteSink& sink);

  /// The next elements of tensor `index` from byte `at` on, as many as are held; empty at its end. Valid until the next
  /// call.
  Result<std::span<const std::byte>> Read(std::size_t index, std::uint64_t at);

 private:
  [[nodiscard]] std::uint64_t HeldBytes(const StoredTensor& tensor) const;
  Result<void> ReadSmall(std::size_t first);
  Result<void> ReadChunk(std::size_t index, std::uint64_t at);

  const StoredCheckpoint& checkpoint_;
  const std::vector<StoredTensor> tensors_;
  std::vector<std::string> held_;  // Whole tensors from first_ on, or the bytes from begin_ on of one.
  std::size_t first_ = 0;
  std::uint64_t begin_ = 0;
};

}  // namespace gcsflux::internal
