#include "formats/distributed_files.h"

#include <algorithm>

#include "formats/bytes/boxes.h"
#include "formats/bytes/format_error.h"
#include "formats/distributed_archives.h"

namespace gcsflux::internal {
namespace {

std::string ShownTensor(DType dtype, std::span<const std::int64_t> shape) {
  return std::string(DTypeName(dtype)) + " " + ShownShape(shape);
}

// A slice, before its place in its file is known.
StoragePart ExpectedPart(const DistributedTensor& tensor, const DistributedChunk& chunk) {
  const std::size_t element = ElementBytes(tensor.dtype);
  const std::uint64_t bytes = ElementCount(chunk.sizes).value_or(0) * element;
  return PartOf(chunk.item.file, {0, bytes}, chunk.offsets, chunk.sizes, tensor.shape, element);
}

}  // namespace

Result<DistributedFiles> DistributedFiles::Open(DistributedMetadata metadata, std::vector<ByteSource> files,
                                                ByteSource source) {
  if (files.size() != metadata.files.size()) {
    return Error{ErrorCode::kInvalidArgument, source.name + ": there must be one source for each file"};
  }
  DistributedFiles opened;
  opened.metadata_ = std::move(metadata);
  opened.files_ = std::move(files);
  opened.files_.push_back(std::move(source));
  for (const DistributedTensor& tensor : opened.metadata_.tensors) {
    for (const DistributedChunk& chunk : tensor.chunks) {
      if (auto checked = opened.CheckItem(tensor.name, chunk.item); !checked) return checked.error();
    }
    TensorLayout layout{.dtype = tensor.dtype, .storage = opened.storages_.size(), .shape = tensor.shape};
    layout.strides = ContiguousStrides(layout.shape);
    opened.storages_.push_back({.key = tensor.name, .bytes = TensorBytes(layout)});
    opened.tensors_.push_back({.name = tensor.name, .layout = std::move(layout)});
  }
  for (const DistributedValue& value : opened.metadata_.values) {
    if (auto checked = opened.CheckItem(value.name, value.item); !checked) return checked.error();
  }
  return opened;
}

Error DistributedFiles::Contradiction(const std::string& name, const std::string& why) const {
  return Undecodable(this->name(), "", 0, Shown(name) + ": " + why);
}

Result<void> DistributedFiles::CheckItem(const std::string& name, const DistributedItem& item) const {
  const ByteSource& file = files_[item.file];
  if (item.range.end <= file.size) return {};
  return Contradiction(name, "it should lie in bytes [" + std::to_string(item.range.begin) + ", " +
                                 std::to_string(item.range.end) + ") of " + file.name + ", which has " +
                                 std::to_string(file.size) + "; the file is cut, or of another save");
}

StorageInParts DistributedFiles::Storage(std::size_t index, std::span<const StoragePart> parts) const {
  const TensorLayout& layout = tensors_[index].layout;
  return {
      .parts = parts, .shape = layout.shape, .dtype = layout.dtype, .bytes = storages_[index].bytes, .index = index};
}

PartFiles DistributedFiles::Files() const {
  const auto damaged = [this](const StoragePart& part, std::size_t storage) {
    return FormatError(ErrorCode::kCorrupted, files_[part.file].name, "", part.range.begin,
                       "the bytes of tensor " + Shown(tensors_[storage].name) +
                           " do not have their CRC-32; the file is damaged: load another copy of it");
  };
  return {.files = files_, .kind = Checksum::kCrc32, .damaged = damaged};
}

std::vector<DistributedFiles::Needed> DistributedFiles::NeededFor(std::span<const StorageRange> reads) const {
  std::vector<Needed> needed;
  for (const auto& [storage, range, into] : reads) {
    const DistributedTensor& tensor = metadata_.tensors[storage];
    const StorageInParts whole = Storage(storage, {});
    for (std::size_t i = 0; i < tensor.chunks.size(); ++i) {
      const StoragePart part = ExpectedPart(tensor, tensor.chunks[i]);
      if (WindowOfPart(part, whole, range).size() > 0) needed.push_back({storage, i});
    }
  }
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  return needed;
}

Result<StoragePart> DistributedFiles::LocateIn(const TorchFile& archive, const Needed& needed) const {
  const DistributedTensor& tensor = metadata_.tensors[needed.tensor];
  const DistributedChunk& chunk = tensor.chunks[needed.chunk];
  const std::string slice = "its slice from " + ShownShape(chunk.offsets) + " on in " + archive.name();
  if (!archive.refused().empty()) {
    return Contradiction(tensor.name, slice + " is not read: " + archive.refused().front().why);
  }
  if (archive.tensors().size() != 1 || !archive.tensors().front().name.empty()) {
    return Contradiction(tensor.name, slice + " is not one tensor");
  }
  const TensorLayout& layout = archive.tensors().front().layout;
  if (layout.dtype != tensor.dtype || layout.shape != chunk.sizes) {
    return Contradiction(tensor.name, slice + " is " + ShownTensor(layout.dtype, layout.shape) +
                                          ", and .metadata says " + ShownTensor(tensor.dtype, chunk.sizes));
  }
  const auto placed = archive.Locate(layout.storage);
  if (!placed) return placed.error();
  StoragePart part = ExpectedPart(tensor, chunk);
  const bool fills = part.range.size() == placed->range.size();
  if (part.range.size() > placed->range.size()) {
    return Contradiction(tensor.name, slice + " has elements that share their bytes, which PyTorch does not write");
  }
  if (!fills || !IsContiguous(layout)) {
    part.begin.reset();
    part.offsets = chunk.offsets;
    part.shape = chunk.sizes;
    part.strides = layout.strides;
    part.first_byte = layout.offset * ElementBytes(layout.dtype);
  }
  const std::uint64_t begin = chunk.item.range.begin;
  part.range = {begin + placed->range.begin, begin + placed->range.end};
  part.sum = placed->crc32;
  return part;
}

Result<std::vector<StoragePart>> DistributedFiles::Locate(std::span<const Needed> needed) const {
  std::vector<DistributedItem> items;
  items.reserve(needed.size());
  for (const auto& [tensor, chunk] : needed) items.push_back(metadata_.tensors[tensor].chunks[chunk].item);
  std::vector<StoragePart> parts;
  parts.reserve(needed.size());
  const auto opened = OpenArchives(files_, items, [&](std::size_t i, const TorchFile& archive) -> Result<void> {
    auto part = LocateIn(archive, needed[i]);
    if (!part) return part.error();
    parts.push_back(*std::move(part));
    return {};
  });
  if (!opened) return opened.error();
  return parts;
}

Result<void> DistributedFiles::ReadRanges(std::span<const StorageRange> reads) const {
  const std::vector<Needed> needed = NeededFor(reads);
  const auto parts = Locate(needed);
  if (!parts) return parts.error();
  const PartFiles files = Files();
  PartReads part_reads(files);
  for (const auto& [storage, range, into] : reads) {
    const auto first = std::lower_bound(needed.begin(), needed.end(), Needed{storage, 0});
    const auto end = std::lower_bound(first, needed.end(), Needed{storage + 1, 0});
    const auto of_storage = std::span(*parts).subspan(static_cast<std::size_t>(first - needed.begin()),
                                                      static_cast<std::size_t>(end - first));
    part_reads.Add(Storage(storage, of_storage), range, into);
  }
  return part_reads.Run();
}

Result<void> DistributedFiles::StreamStorage(std::size_t storage, const ByteSink& sink) const {
  std::vector<Needed> needed;
  for (std::size_t i = 0; i < metadata_.tensors[storage].chunks.size(); ++i) needed.push_back({storage, i});
  auto parts = Locate(needed);
  if (!parts) return parts.error();
  std::ranges::sort(*parts, {}, &StoragePart::begin);  // Blocks of rows, in order.
  return StreamParts(Files(), Storage(storage, *parts), sink);
}

}  // namespace gcsflux::internal
