#include "formats/checkpoint_reader.h"

#include "formats/bytes/format_error.h"
#include "formats/bytes/make_buffer.h"

namespace gcsflux::internal {
namespace {

// The bytes of its storage that the tensor touches, if `into` has the length of its elements.
std::optional<FileRange> CheckedTouch(const TensorRead& read, std::span<const StoredStorage> storages) {
  const TensorLayout& layout = read.tensor->layout;
  if (layout.storage >= storages.size()) return std::nullopt;
  const auto count = ElementCount(layout.shape);
  const std::size_t element = ElementBytes(layout.dtype);
  const bool fits = count && read.into.size() / element == *count && read.into.size() % element == 0;
  return fits ? TouchedBytes(layout, storages[layout.storage].bytes) : std::nullopt;
}

Error WrongArgument(const CheckpointReader& reader, const std::string& why) {
  return {ErrorCode::kInvalidArgument, reader.name() + ": " + why};
}

}  // namespace

Result<void> CheckpointReader::ReadTensors(std::span<const TensorRead> reads) const {
  std::vector<StorageRange> ranges;
  std::vector<std::string> gathered(reads.size());  // Empty if the elements are read directly into their destination.
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const TensorLayout& layout = reads[i].tensor->layout;
    const std::string shown = Shown(reads[i].tensor->name);
    const auto touched = CheckedTouch(reads[i], storages());
    if (!touched) return WrongArgument(*this, "the memory for " + shown + " has another length than its elements");
    if (reads[i].into.empty()) continue;
    std::span<std::byte> into = reads[i].into;
    if (!IsContiguous(layout) || touched->size() != into.size()) {
      auto buffer = MakeBuffer(touched->size(), shown);
      if (!buffer) return buffer.error();
      gathered[i] = *std::move(buffer);
      into = std::as_writable_bytes(std::span(gathered[i]));
    }
    ranges.push_back({layout.storage, *touched, into});
  }
  if (auto read = ReadRanges(ranges); !read) return read;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (!gathered[i].empty()) {
      GatherElements(reads[i].tensor->layout, std::as_bytes(std::span(gathered[i])), reads[i].into);
    }
  }
  return {};
}

Result<void> CheckpointReader::ReadStorages(std::span<const StorageRead> reads) const {
  std::vector<StorageRange> ranges;
  for (const auto& [storage, into] : reads) {
    const bool is_there = storage < storages().size();
    if (is_there && into.size() == storages()[storage].bytes) {
      ranges.push_back({storage, {0, into.size()}, into});
      continue;
    }
    return WrongArgument(*this, is_there ? "storage " + std::to_string(storage) + " has " +
                                               std::to_string(storages()[storage].bytes) + " bytes"
                                         : "it has no storage " + std::to_string(storage));
  }
  return ReadRanges(ranges);
}

}  // namespace gcsflux::internal
