#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/checkpoints/checkpoint.h"

namespace gcsflux::internal {

/// An opened checkpoint of one format: what StoredCheckpoint asks of it. A format is one class. Thread-safe if its
/// sources are.
class CheckpointReader {
 public:
  virtual ~CheckpointReader() = default;

  [[nodiscard]] virtual CheckpointFormat format() const = 0;
  [[nodiscard]] virtual std::span<const ByteSource> files() const = 0;
  [[nodiscard]] virtual const std::vector<StoredTensor>& tensors() const = 0;
  [[nodiscard]] virtual const std::vector<StoredStorage>& storages() const = 0;
  [[nodiscard]] virtual const std::vector<RefusedValue>& refused() const = 0;
  [[nodiscard]] virtual const std::vector<std::pair<std::string, std::string>>& metadata() const = 0;

  /// The record of a file that has its values, for messages. Empty if the format has none.
  [[nodiscard]] virtual std::string values_record() const { return {}; }
  [[nodiscard]] virtual bool HasValues() const = 0;
  [[nodiscard]] virtual Result<pickled::Value> ReadValue(std::string_view name) const = 0;

  [[nodiscard]] virtual bool IsVerifiable(std::size_t storage) const = 0;
  [[nodiscard]] virtual std::optional<std::uint32_t> Crc32c(std::size_t storage) const = 0;
  virtual Result<void> ReadStorages(std::span<const StorageRead> reads) const = 0;
  virtual Result<void> ReadTensors(std::span<const TensorRead> reads) const = 0;
  virtual Result<void> StreamStorage(std::size_t storage, const ByteSink& sink) const = 0;
};

}  // namespace gcsflux::internal
