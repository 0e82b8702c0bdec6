#include <algorithm>
#include <deque>

#include "base/crc32c.h"
#include "formats/bytes/format_error.h"
#include "formats/bytes/source_reads.h"
#include "formats/safetensors_files.h"

namespace gcsflux::internal {
namespace {

// With the slices that make it, it is held twice.
constexpr std::uint64_t kSlicesChunk = std::uint64_t{32} << 20;

}  // namespace

// The reads for several tensors, file by file, and the actions that follow.
class SafetensorsFiles::Plan {
 public:
  explicit Plan(const SafetensorsFiles& files)
      : files_(files), reads_(files.files_.size()), read_parts_(reads_.size()) {}

  // [wanted.begin, wanted.end) of the storage into `into`.
  void AddParts(std::size_t storage, FileRange wanted, std::span<std::byte> into) {
    for (const Part& part : files_.PartsOf(storage)) {
      part.begin ? AddBlock(part, storage, wanted, into) : AddSlice(part, storage, wanted, into);
    }
  }

  Result<void> Run() {
    for (std::size_t file = 0; file < reads_.size(); ++file) {
      if (auto read = ReadFile(file); !read) return read;
    }
    for (const Slice& slice : slices_) {
      PlaceWindow(slice.of_whole, slice.window, std::as_bytes(std::span(slice.bytes)), slice.wanted, slice.into);
    }
    return {};
  }

  // The bytes of each part that were read.
  template <class Visit>
  void ForEachRead(const Visit& visit) const {
    for (const auto& parts : read_parts_) {
      for (const ReadPart& one : parts) visit(*one.part, std::span<const std::byte>(one.bytes));
    }
  }

 private:
  // Bytes of a slice on their way to their places.
  struct Slice {
    SliceOfWhole of_whole;
    FileRange window;
    std::string bytes;
    FileRange wanted;
    std::span<std::byte> into;
  };
  struct ReadPart {
    const Part* part;
    std::size_t storage;
    std::span<const std::byte> bytes;
  };

  // Reads what is wanted of one file, and compares the parts that are read whole with their checksums.
  [[nodiscard]] Result<void> ReadFile(std::size_t file) const {
    const auto& parts = read_parts_[file];
    const auto has_sum = [](const ReadPart& one) {
      return one.part->crc32c && one.bytes.size() == one.part->range.size();
    };
    if (std::ranges::none_of(parts, has_sum)) return ReadAll(files_.files_[file], reads_[file]);
    const auto sums = ReadAllSummed(files_.files_[file], reads_[file], Checksum::kCrc32c);
    if (!sums) return sums.error();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const ReadPart& one = parts[i];
      if (has_sum(one) && (*sums)[i] != *one.part->crc32c) return files_.Corrupted(*one.part, one.storage);
    }
    return {};
  }

  void AddRead(const Part& part, std::size_t storage, std::uint64_t begin, std::span<std::byte> into) {
    reads_[part.file].push_back({part.range.begin + begin, into});
    read_parts_[part.file].push_back({&part, storage, into});
  }

  void AddBlock(const Part& part, std::size_t storage, FileRange wanted, std::span<std::byte> into) {
    const std::uint64_t begin = std::max(wanted.begin, *part.begin);
    const std::uint64_t end = std::min(wanted.end, *part.begin + part.range.size());
    if (begin >= end) return;
    AddRead(part, storage, begin - *part.begin,
            into.subspan(static_cast<std::size_t>(begin - wanted.begin), static_cast<std::size_t>(end - begin)));
  }

  void AddSlice(const Part& part, std::size_t storage, FileRange wanted, std::span<std::byte> into) {
    if (part.range.size() == 0) return;
    const SliceOfWhole slice = files_.SliceOf(part, storage);
    const FileRange window = WindowOf(slice, wanted);
    if (window.size() == 0) return;
    slices_.push_back({slice, window, std::string(static_cast<std::size_t>(window.size()), '\0'), wanted, into});
    AddRead(part, storage, window.begin, std::as_writable_bytes(std::span(slices_.back().bytes)));
  }

  const SafetensorsFiles& files_;
  std::vector<std::vector<RangeRead>> reads_;      // By file.
  std::vector<std::vector<ReadPart>> read_parts_;  // Likewise.
  std::deque<Slice> slices_;                       // Their addresses are stable.
};

Error SafetensorsFiles::Corrupted(const Part& part, std::size_t storage) const {
  return FormatError(ErrorCode::kCorrupted, files_[part.file].name, "", part.range.begin,
                     "the bytes of tensor " + Shown(storages_[storage].key) +
                         " do not have its CRC32C; the file is damaged: load another copy of it");
}

std::span<const SafetensorsFiles::Part> SafetensorsFiles::PartsOf(std::size_t storage) const {
  return std::span(parts_).subspan(first_part_[storage], first_part_[storage + 1] - first_part_[storage]);
}

SliceOfWhole SafetensorsFiles::SliceOf(const Part& part, std::size_t storage) const {
  const TensorLayout& layout = tensors_[storage].layout;
  return {
      .offsets = part.offsets, .shape = part.shape, .whole_shape = layout.shape, .element = ElementBytes(layout.dtype)};
}

Result<void> SafetensorsFiles::ReadRanges(std::span<const StorageRange> reads) const {
  Plan plan(*this);
  for (const auto& [storage, range, into] : reads) plan.AddParts(storage, range, into);
  return plan.Run();
}

// The rows of slices come from all of their files again and again, a chunk of the whole each time.
Result<void> SafetensorsFiles::StreamSlices(std::size_t storage, const ByteSink& sink) const {
  const auto parts = PartsOf(storage);
  std::vector<std::uint32_t> sums(parts.size(), 0);
  const std::uint64_t size = storages_[storage].bytes;
  std::string chunk;
  for (std::uint64_t at = 0; at < size; at += chunk.size()) {
    chunk.resize(static_cast<std::size_t>(std::min(size - at, kSlicesChunk)));
    const auto into = std::as_writable_bytes(std::span(chunk));
    Plan plan(*this);
    plan.AddParts(storage, {at, at + chunk.size()}, into);
    if (auto read = plan.Run(); !read) return read;
    plan.ForEachRead([&](const Part& part, std::span<const std::byte> bytes) {
      std::uint32_t& sum = sums[static_cast<std::size_t>(&part - parts.data())];
      sum = ExtendCrc32c(sum, bytes);
    });
    if (auto given = sink(into); !given) return given;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].crc32c && sums[i] != *parts[i].crc32c) return Corrupted(parts[i], storage);
  }
  return {};
}

Result<void> SafetensorsFiles::StreamStorage(std::size_t storage, const ByteSink& sink) const {
  const auto parts = PartsOf(storage);
  if (std::any_of(parts.begin(), parts.end(), [](const Part& part) { return !part.begin; })) {
    return StreamSlices(storage, sink);
  }
  for (const Part& part : parts) {
    std::uint32_t checksum = 0;
    const ByteSink counted = [&](std::span<const std::byte> bytes) {
      if (part.crc32c) checksum = ExtendCrc32c(checksum, bytes);
      return sink(bytes);
    };
    if (auto read = StreamRange(files_[part.file], part.range, counted); !read) return read;
    if (part.crc32c && checksum != *part.crc32c) return Corrupted(part, storage);
  }
  return {};
}

}  // namespace gcsflux::internal
