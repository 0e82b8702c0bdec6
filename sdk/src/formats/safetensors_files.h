#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/checkpoint_reader.h"
#include "formats/safetensors/safetensors.h"
#include "formats/storage_parts.h"

namespace gcsflux::internal {

/// The tensors of one or several files of safetensors, each with its own storage.
class SafetensorsFiles final : public CheckpointReader {
 public:
  /// One header for each file. Slices are joined; tensors that the headers lack are left out. `name` is for messages.
  static Result<SafetensorsFiles> Open(std::string name, std::vector<ByteSource> files,
                                       std::vector<SafetensorsHeader> headers);

  /// kSafetensors, or kSafetensorsIndex if an index named the files.
  [[nodiscard]] CheckpointFormat format() const override { return format_; }
  void SetFormat(CheckpointFormat format) { format_ = format; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::span<const ByteSource> files() const override { return files_; }
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const override { return tensors_; }
  [[nodiscard]] const std::vector<StoredStorage>& storages() const override { return storages_; }
  [[nodiscard]] const std::vector<RefusedValue>& refused() const override { return refused_; }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& metadata() const override { return metadata_; }

  /// The values are those that CheckpointRun writes into the metadata.
  [[nodiscard]] bool HasValues() const override { return FindState() != nullptr; }
  [[nodiscard]] Result<pickled::Value> ReadValue(std::string_view name) const override;

  [[nodiscard]] bool IsVerifiable(std::size_t storage) const override;
  [[nodiscard]] std::optional<std::uint32_t> Crc32c(std::size_t storage) const override;
  Result<void> ReadRanges(std::span<const StorageRange> reads) const override;
  Result<void> StreamStorage(std::size_t storage, const ByteSink& sink) const override;

 private:
  [[nodiscard]] const std::string* FindState() const;
  void AddStorage(std::string name, DType dtype, std::vector<std::int64_t> shape);
  void AddTensor(const SafeTensor& tensor);
  void AddJoined(const JoinedTensor& tensor, std::span<const SafetensorsHeader> headers);
  [[nodiscard]] StorageInParts Storage(std::size_t storage) const;
  [[nodiscard]] PartFiles Files() const;

  CheckpointFormat format_ = CheckpointFormat::kSafetensors;
  std::string name_;
  std::vector<ByteSource> files_;
  std::vector<StoredTensor> tensors_;
  std::vector<StoredStorage> storages_;
  std::vector<std::size_t> first_part_;  // Of each storage; one more at the end.
  std::vector<StoragePart> parts_;
  std::vector<RefusedValue> refused_;
  std::vector<std::pair<std::string, std::string>> metadata_;
};

}  // namespace gcsflux::internal
