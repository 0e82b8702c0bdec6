#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/checkpoint_reader.h"

namespace gcsflux::internal {

struct ZipEntry;

/// Where a storage lies in the file.
struct PlacedStorage {
  FileRange range = {};
  std::uint32_t crc32 = 0;
};

/// A checkpoint of torch.save (1.6 to 2.x), of libtorch's torch::save or OutputArchive, or the data of TorchScript
/// without its code. In an archive of libtorch, names are the attributes' names.
///
/// No code in it is executed and no name in it is resolved. Opening reads the archive's directory and its pickle, in
/// two or three reads that depend on each other (StoredCheckpoint reads both ends of the file at once). For a file of n
/// bytes it uses at most 16 n + 16 MiB of memory. A copy shares what was read.
class TorchFile final : public CheckpointReader {
 public:
  /// The older format and files of big-endian machines are recognised: the error says what to do.
  static Result<TorchFile> Open(ByteSource source);

  [[nodiscard]] CheckpointFormat format() const override;
  [[nodiscard]] const std::string& name() const override;
  [[nodiscard]] std::span<const ByteSource> files() const override;
  /// In the order of the file. If a tensor occurs twice, it has two names.
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const override;
  [[nodiscard]] const std::vector<StoredStorage>& storages() const override;
  [[nodiscard]] const std::vector<RefusedValue>& refused() const override;
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& metadata() const override;

  [[nodiscard]] std::string values_record() const override;
  [[nodiscard]] bool HasValues() const override { return true; }
  /// A refused value within it appears as Refused.
  [[nodiscard]] Result<pickled::Value> ReadValue(std::string_view name) const override;

  [[nodiscard]] bool IsVerifiable(std::size_t) const override { return true; }
  [[nodiscard]] std::optional<std::uint32_t> Crc32c(std::size_t) const override { return std::nullopt; }
  /// In one ByteSource::read_all(). If the writer did not align them as PyTorch does, it takes two.
  Result<void> ReadRanges(std::span<const StorageRange> reads) const override;
  Result<void> StreamStorage(std::size_t storage, const ByteSink& sink) const override;

  /// Reads the record's header.
  [[nodiscard]] Result<PlacedStorage> Locate(std::size_t storage) const;

 private:
  struct Contents;
  explicit TorchFile(std::shared_ptr<const Contents> contents);
  static Result<void> FillIndex(Contents& contents, const std::string& prefix);
  [[nodiscard]] Result<const ZipEntry*> RecordOf(std::size_t storage) const;

  std::shared_ptr<const Contents> contents_;
};

}  // namespace gcsflux::internal
