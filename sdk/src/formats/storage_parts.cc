#include "formats/storage_parts.h"

#include <algorithm>

#include "base/checksum.h"
#include "formats/bytes/source_reads.h"
#include "formats/bytes/tensor_layout.h"

namespace gcsflux::internal {
namespace {

// With the slices that make it, it is held twice.
constexpr std::uint64_t kSlicesChunk = std::uint64_t{32} << 20;

// A block of the whole's rows, whose elements follow each other there.
bool IsBlockOfRows(std::span<const std::int64_t> slice, std::span<const std::int64_t> whole) {
  return std::equal(slice.begin() + 1, slice.end(), whole.begin() + 1, whole.end());
}

SliceOfWhole SliceOf(const StoragePart& part, const StorageInParts& storage) {
  return {.offsets = part.offsets,
          .shape = part.shape,
          .whole_shape = storage.shape,
          .element = ElementBytes(storage.dtype)};
}

FileRange WindowOfBlock(const StoragePart& part, FileRange wanted) {
  const std::uint64_t begin = std::max(wanted.begin, *part.begin);
  const std::uint64_t end = std::min(wanted.end, *part.begin + part.range.size());
  return begin < end ? FileRange{begin - *part.begin, end - *part.begin} : FileRange{};
}

// The rows of slices come from all of their files again and again, a chunk of the whole each time.
Result<void> StreamSlices(const PartFiles& files, const StorageInParts& storage, std::uint64_t chunk_bytes,
                          const ByteSink& sink) {
  std::vector<std::uint32_t> sums(storage.parts.size(), 0);
  std::string chunk;
  for (std::uint64_t at = 0; at < storage.bytes; at += chunk.size()) {
    chunk.resize(static_cast<std::size_t>(std::min(storage.bytes - at, chunk_bytes)));
    const auto into = std::as_writable_bytes(std::span(chunk));
    PartReads reads(files);
    reads.Add(storage, {at, at + chunk.size()}, into);
    if (auto read = reads.Run(); !read) return read;
    reads.ForEachRead([&](const StoragePart& part, std::span<const std::byte> bytes) {
      std::uint32_t& sum = sums[static_cast<std::size_t>(&part - storage.parts.data())];
      sum = ExtendChecksum(files.kind, sum, bytes);
    });
    if (auto given = sink(into); !given) return given;
  }
  for (std::size_t i = 0; i < storage.parts.size(); ++i) {
    const StoragePart& part = storage.parts[i];
    if (part.sum && sums[i] != *part.sum) return files.damaged(part, storage.index);
  }
  return {};
}

}  // namespace

StoragePart PartOf(std::size_t file, FileRange range, std::span<const std::int64_t> offsets,
                   std::span<const std::int64_t> shape, std::span<const std::int64_t> whole,
                   std::size_t element_bytes) {
  StoragePart part{.file = file, .range = range};
  if (whole.empty()) {
    part.begin = 0;
  } else if (IsBlockOfRows(shape, whole)) {
    const std::uint64_t row = ElementCount(whole.subspan(1)).value_or(0) * element_bytes;
    part.begin = static_cast<std::uint64_t>(offsets.front()) * row;
  } else {
    part.offsets.assign(offsets.begin(), offsets.end());
    part.shape.assign(shape.begin(), shape.end());
  }
  return part;
}

FileRange WindowOfPart(const StoragePart& part, const StorageInParts& storage, FileRange wanted) {
  if (part.begin) return WindowOfBlock(part, wanted);
  return part.range.size() == 0 ? FileRange{} : WindowOf(SliceOf(part, storage), wanted);
}

void PartReads::Add(const StorageInParts& storage, FileRange wanted, std::span<std::byte> into) {
  for (const StoragePart& part : storage.parts) {
    part.begin ? AddBlock(part, storage.index, wanted, into) : AddSlice(part, storage, wanted, into);
  }
}

void PartReads::AddRead(const StoragePart& part, std::size_t storage, std::uint64_t begin, std::span<std::byte> into) {
  reads_[part.file].push_back({part.range.begin + begin, into});
  read_parts_[part.file].push_back({&part, storage, into});
}

void PartReads::AddBlock(const StoragePart& part, std::size_t storage, FileRange wanted, std::span<std::byte> into) {
  const FileRange window = WindowOfBlock(part, wanted);
  if (window.size() == 0) return;
  AddRead(part, storage, window.begin,
          into.subspan(static_cast<std::size_t>(*part.begin + window.begin - wanted.begin),
                       static_cast<std::size_t>(window.size())));
}

void PartReads::AddSlice(const StoragePart& part, const StorageInParts& storage, FileRange wanted,
                         std::span<std::byte> into) {
  const FileRange window = WindowOfPart(part, storage, wanted);
  if (window.size() == 0) return;
  const FileRange read = part.strides.empty() ? window : FileRange{0, part.range.size()};
  slices_.push_back({&part, storage, window, std::string(static_cast<std::size_t>(read.size()), '\0'), wanted, into});
  AddRead(part, storage.index, read.begin, std::as_writable_bytes(std::span(slices_.back().bytes)));
}

// Reads what is wanted of one file, and compares the parts that are read whole with their checksums.
Result<void> PartReads::ReadFile(std::size_t file) const {
  const auto& parts = read_parts_[file];
  const auto has_sum = [](const ReadPart& one) { return one.part->sum && one.bytes.size() == one.part->range.size(); };
  if (std::ranges::none_of(parts, has_sum)) return ReadAll(files_.files[file], reads_[file]);
  const auto sums = ReadAllSummed(files_.files[file], reads_[file], files_.kind);
  if (!sums) return sums.error();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ReadPart& one = parts[i];
    if (has_sum(one) && (*sums)[i] != *one.part->sum) return files_.damaged(*one.part, one.storage);
  }
  return {};
}

void PartReads::Place(Slice& slice) {
  const SliceOfWhole whole = SliceOf(*slice.part, slice.storage);
  std::span<const std::byte> bytes = std::as_bytes(std::span(slice.bytes));
  std::string gathered;
  if (!slice.part->strides.empty()) {
    const TensorLayout layout{.dtype = slice.storage.dtype, .shape = slice.part->shape, .strides = slice.part->strides};
    gathered.resize(static_cast<std::size_t>(TensorBytes(layout)));
    GatherElements(layout, bytes.subspan(static_cast<std::size_t>(slice.part->first_byte)),
                   std::as_writable_bytes(std::span(gathered)));
    bytes = std::as_bytes(std::span(gathered))
                .subspan(static_cast<std::size_t>(slice.window.begin), static_cast<std::size_t>(slice.window.size()));
  }
  PlaceWindow(whole, slice.window, bytes, slice.wanted, slice.into);
}

Result<void> PartReads::Run() {
  for (std::size_t file = 0; file < reads_.size(); ++file) {
    if (auto read = ReadFile(file); !read) return read;
  }
  for (Slice& slice : slices_) Place(slice);
  return {};
}

Result<void> StreamParts(const PartFiles& files, const StorageInParts& storage, const ByteSink& sink) {
  const auto is_strided = [](const StoragePart& part) { return !part.strides.empty(); };
  if (std::ranges::any_of(storage.parts, is_strided)) return StreamSlices(files, storage, storage.bytes, sink);
  const auto is_apart = [](const StoragePart& part) { return !part.begin; };
  if (std::ranges::any_of(storage.parts, is_apart)) return StreamSlices(files, storage, kSlicesChunk, sink);
  for (const StoragePart& part : storage.parts) {
    std::uint32_t checksum = 0;
    const ByteSink counted = [&](std::span<const std::byte> bytes) {
      if (part.sum) checksum = ExtendChecksum(files.kind, checksum, bytes);
      return sink(bytes);
    };
    if (auto read = StreamRange(files.files[part.file], part.range, counted); !read) return read;
    if (part.sum && checksum != *part.sum) return files.damaged(part, storage.index);
  }
  return {};
}

}  // namespace gcsflux::internal
