#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/checkpoint_reader.h"
#include "formats/distributed/distributed_metadata.h"
#include "formats/storage_parts.h"

namespace gcsflux::internal {

/// A checkpoint of torch.distributed.checkpoint: .metadata, and files of slices. Each tensor has its own storage.
///
/// A slice lies in its file as torch.save writes a tensor. So a read of tensors takes two rounds: both ends of the
/// slices that it needs, which must agree with .metadata, then their elements.
class DistributedFiles final : public CheckpointReader {
 public:
  /// One source for each of metadata.files, and that of .metadata. Makes no read. Returns kUndecodable if a file is too
  /// short for what it should hold.
  static Result<DistributedFiles> Open(DistributedMetadata metadata, std::vector<ByteSource> files, ByteSource source);

  [[nodiscard]] CheckpointFormat format() const override { return CheckpointFormat::kDistributed; }
  [[nodiscard]] const std::string& name() const override { return files_.back().name; }
  /// The one of .metadata is the last.
  [[nodiscard]] std::span<const ByteSource> files() const override { return files_; }
  /// In the order of .metadata.
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const override { return tensors_; }
  [[nodiscard]] const std::vector<StoredStorage>& storages() const override { return storages_; }
  [[nodiscard]] const std::vector<RefusedValue>& refused() const override { return metadata_.refused; }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& metadata() const override { return none_; }

  [[nodiscard]] bool HasValues() const override { return true; }
  /// The nested dictionary that was saved. Reads the values that are within the result.
  [[nodiscard]] Result<pickled::Value> ReadValue(std::string_view name) const override;

  [[nodiscard]] bool IsVerifiable(std::size_t) const override { return true; }
  [[nodiscard]] std::optional<std::uint32_t> Crc32c(std::size_t) const override { return std::nullopt; }
  Result<void> ReadRanges(std::span<const StorageRange> reads) const override;
  Result<void> StreamStorage(std::size_t storage, const ByteSink& sink) const override;

 private:
  /// A slice that is needed, by the tensor's and its own index.
  struct Needed {
    std::size_t tensor = 0;
    std::size_t chunk = 0;

    friend auto operator<=>(const Needed&, const Needed&) = default;
  };

  /// By name.
  using Values = std::map<std::string_view, pickled::Value>;

  [[nodiscard]] Values KnownValues(std::string_view name) const;
  Result<void> AddValues(std::string_view name, Values& values) const;
  /// Nothing if the paths contradict each other.
  [[nodiscard]] std::optional<pickled::Value> Nested(Values values) const;
  [[nodiscard]] Error Contradiction(const std::string& name, const std::string& why) const;
  [[nodiscard]] Result<void> CheckItem(const std::string& name, const DistributedItem& item) const;
  [[nodiscard]] StorageInParts Storage(std::size_t index, std::span<const StoragePart> parts) const;
  [[nodiscard]] PartFiles Files() const;
  [[nodiscard]] std::vector<Needed> NeededFor(std::span<const StorageRange> reads) const;
  /// The places of these slices, in this order.
  [[nodiscard]] Result<std::vector<StoragePart>> Locate(std::span<const Needed> needed) const;
  [[nodiscard]] Result<StoragePart> LocateIn(const class TorchFile& archive, const Needed& needed) const;

  DistributedMetadata metadata_;
  std::vector<ByteSource> files_;
  std::vector<StoredTensor> tensors_;
  std::vector<StoredStorage> storages_;
  std::vector<std::pair<std::string, std::string>> none_;
};

}  // namespace gcsflux::internal
