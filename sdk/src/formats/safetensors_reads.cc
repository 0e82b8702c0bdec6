#include "formats/bytes/format_error.h"
#include "formats/safetensors_files.h"

namespace gcsflux::internal {

StorageInParts SafetensorsFiles::Storage(std::size_t storage) const {
  const TensorLayout& layout = tensors_[storage].layout;
  const std::size_t first = first_part_[storage];
  return {.parts = std::span(parts_).subspan(first, first_part_[storage + 1] - first),
          .shape = layout.shape,
          .dtype = layout.dtype,
          .bytes = storages_[storage].bytes,
          .index = storage};
}

PartFiles SafetensorsFiles::Files() const {
  const auto damaged = [this](const StoragePart& part, std::size_t storage) {
    return FormatError(ErrorCode::kCorrupted, files_[part.file].name, "", part.range.begin,
                       "the bytes of tensor " + Shown(storages_[storage].key) +
                           " do not have its CRC32C; the file is damaged: load another copy of it");
  };
  return {.files = files_, .kind = Checksum::kCrc32c, .damaged = damaged};
}

Result<void> SafetensorsFiles::ReadRanges(std::span<const StorageRange> reads) const {
  const PartFiles files = Files();
  PartReads parts(files);
  for (const auto& [storage, range, into] : reads) parts.Add(Storage(storage), range, into);
  return parts.Run();
}

Result<void> SafetensorsFiles::StreamStorage(std::size_t storage, const ByteSink& sink) const {
  return StreamParts(Files(), Storage(storage), sink);
}

}  // namespace gcsflux::internal
