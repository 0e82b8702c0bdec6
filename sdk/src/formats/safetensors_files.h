#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/safetensors/slice_window.h"
#include "gcsflux/checkpoints/safetensors.h"
#include "gcsflux/checkpoints/torch_file.h"

namespace gcsflux::internal {

/// The tensors of one or several files of safetensors, each with its own storage.
class SafetensorsFiles {
 public:
  /// Reads the files' headers. Slices are joined.
  static Result<SafetensorsFiles> Open(std::vector<ByteSource> files);
  /// The same with headers that are known: one for each file. Tensors that they lack are left out.
  static Result<SafetensorsFiles> Open(std::vector<ByteSource> files, std::vector<SafetensorsHeader> headers);

  [[nodiscard]] const std::vector<ByteSource>& files() const { return files_; }
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const { return tensors_; }
  [[nodiscard]] const std::vector<StoredStorage>& storages() const { return storages_; }
  [[nodiscard]] const std::vector<RefusedValue>& refused() const { return refused_; }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& metadata() const { return metadata_; }
  [[nodiscard]] bool IsVerifiable(std::size_t storage) const;
  [[nodiscard]] std::optional<std::uint32_t> Crc32c(std::size_t storage) const;

  /// As StoredCheckpoint::ReadTensors().
  Result<void> ReadTensors(std::span<const TensorRead> reads) const;
  Result<void> StreamStorage(std::size_t storage, const ByteSink& sink) const;

 private:
  // A slice, or all, of a storage.
  struct Part {
    std::size_t file = 0;
    FileRange range = {};                     // In the file.
    std::optional<std::uint64_t> begin = {};  // Offset in the storage; absent if the rows are not contiguous there.
    std::optional<std::uint32_t> crc32c = {};
    std::vector<std::int64_t> offsets = {};
    std::vector<std::int64_t> shape = {};
  };
  class Plan;

  void AddStorage(std::string name, DType dtype, std::vector<std::int64_t> shape);
  void AddTensor(const SafeTensor& tensor);
  void AddJoined(const JoinedTensor& tensor, std::span<const SafetensorsHeader> headers);
  [[nodiscard]] Error Corrupted(const Part& part, std::size_t storage) const;
  [[nodiscard]] std::span<const Part> PartsOf(std::size_t storage) const;
  [[nodiscard]] SliceOfWhole SliceOf(const Part& part, std::size_t storage) const;
  Result<void> StreamSlices(std::size_t storage, const ByteSink& sink) const;

  std::vector<ByteSource> files_;
  std::vector<StoredTensor> tensors_;
  std::vector<StoredStorage> storages_;
  std::vector<std::size_t> first_part_;  // Of each storage; one more at the end.
  std::vector<Part> parts_;
  std::vector<RefusedValue> refused_;
  std::vector<std::pair<std::string, std::string>> metadata_;
};

}  // namespace gcsflux::internal
