#include <algorithm>
#include <cstring>
#include <deque>

#include "base/crc32c.h"
#include "formats/bytes/compare_at_once.h"
#include "formats/bytes/format_error.h"
#include "formats/bytes/storage_pieces.h"
#include "formats/safetensors_files.h"
#include "formats/torch_records.h"

namespace gcsflux::internal {

// The reads for several tensors, file by file, and the actions that follow.
class SafetensorsFiles::Plan {
 public:
  explicit Plan(const SafetensorsFiles& files) : files_(files), reads_(files.files_.size()) {}

  Result<void> Add(const TensorRead& read) {
    const TensorLayout& layout = read.tensor->layout;
    if (layout.storage >= files_.storages_.size()) return WrongLength(*read.tensor);
    const auto touched = TouchedBytes(layout, files_.storages_[layout.storage].bytes);
    const auto count = ElementCount(layout.shape);
    const std::size_t element = ElementBytes(layout.dtype);
    if (!touched || !count || read.into.size() % element != 0 || read.into.size() / element != *count) {
      return WrongLength(*read.tensor);
    }
    if (read.into.empty()) return {};
    const bool is_apart = IsApart(layout.storage);
    const bool is_direct = layout.strides == ContiguousStrides(layout.shape) && touched->size() == read.into.size();
    if (is_direct && !is_apart) {
      AddParts(layout.storage, *touched, read.into);
      return {};
    }
    const FileRange held = is_apart ? FileRange{0, files_.storages_[layout.storage].bytes} : *touched;
    gathers_.push_back({&read, std::string(static_cast<std::size_t>(held.size()), '\0'), touched->begin - held.begin});
    std::string& bytes = gathers_.back().held;
    is_apart ? AddSlices(layout.storage, bytes)
             : AddParts(layout.storage, held, std::as_writable_bytes(std::span(bytes)));
    return {};
  }

  Result<void> Run() {
    for (std::size_t file = 0; file < reads_.size(); ++file) {
      if (auto read = ReadAll(files_.files_[file], reads_[file]); !read.ok()) return read;
    }
    if (auto checked = CompareSums(); !checked.ok()) return checked;
    for (const Slice& slice : slices_) files_.Place(*slice.part, slice.storage, slice.bytes, *slice.whole);
    for (const Gather& gather : gathers_) {
      const std::string_view touched = std::string_view(gather.held).substr(static_cast<std::size_t>(gather.skip));
      GatherElements(gather.read->tensor->layout, touched, gather.read->into);
    }
    return {};
  }

 private:
  struct Gather {
    const TensorRead* read;
    std::string held;
    std::uint64_t skip;
  };
  struct Slice {
    const Part* part;
    std::size_t storage;
    std::string bytes;
    std::string* whole;
  };
  struct Check {
    const Part* part;
    std::size_t storage;
    std::span<const std::byte> bytes;
  };

  [[nodiscard]] Result<void> CompareSums() const {
    std::uint64_t bytes = 0;
    for (const Check& check : checks_) bytes += check.bytes.size();
    std::vector<std::uint32_t> sums(checks_.size());
    ForEachAtOnce(checks_.size(), bytes, [&](std::size_t i) { sums[i] = ExtendCrc32c(0, checks_[i].bytes); });
    for (std::size_t i = 0; i < checks_.size(); ++i) {
      if (sums[i] != *checks_[i].part->crc32c) return files_.Corrupted(*checks_[i].part, checks_[i].storage);
    }
    return {};
  }

  [[nodiscard]] Error WrongLength(const StoredTensor& tensor) const {
    return {ErrorCode::kInvalidArgument, files_.files_.front().name + ": the memory for " + Shown(tensor.name) +
                                             " has another length than its elements"};
  }

  [[nodiscard]] std::span<const Part> PartsOf(std::size_t storage) const {
    const std::size_t first = files_.first_part_[storage];
    return std::span(files_.parts_).subspan(first, files_.first_part_[storage + 1] - first);
  }

  [[nodiscard]] bool IsApart(std::size_t storage) const {
    const auto parts = PartsOf(storage);
    return std::any_of(parts.begin(), parts.end(), [](const Part& part) { return !part.begin; });
  }

  // [wanted.begin, wanted.end) of the storage into `into`.
  void AddParts(std::size_t storage, FileRange wanted, std::span<std::byte> into) {
    for (const Part& part : PartsOf(storage)) {
      const std::uint64_t begin = std::max(wanted.begin, *part.begin);
      const std::uint64_t end = std::min(wanted.end, *part.begin + part.range.size());
      if (begin >= end) continue;
      const auto room =
          into.subspan(static_cast<std::size_t>(begin - wanted.begin), static_cast<std::size_t>(end - begin));
      reads_[part.file].push_back({part.range.begin + (begin - *part.begin), room});
      if (part.crc32c && end - begin == part.range.size()) checks_.push_back({&part, storage, room});
    }
  }

  void AddSlices(std::size_t storage, std::string& whole) {
    for (const Part& part : PartsOf(storage)) {
      slices_.push_back({&part, storage, std::string(static_cast<std::size_t>(part.range.size()), '\0'), &whole});
      const auto room = std::as_writable_bytes(std::span(slices_.back().bytes));
      if (room.empty()) continue;
      reads_[part.file].push_back({part.range.begin, room});
      if (part.crc32c) checks_.push_back({&part, storage, room});
    }
  }

  const SafetensorsFiles& files_;
  std::vector<std::vector<RangeRead>> reads_;  // By file.
  std::vector<Check> checks_;
  std::deque<Slice> slices_;    // Their addresses are stable.
  std::deque<Gather> gathers_;  // Their addresses are stable too.
};

Error SafetensorsFiles::Corrupted(const Part& part, std::size_t storage) const {
  return FormatError(ErrorCode::kCorrupted, files_[part.file].name, "", part.range.begin,
                     "the bytes of tensor " + Shown(storages_[storage].key) +
                         " do not have its CRC32C; the file is damaged: load another copy of it");
}

// Copies row after row of the slice's last dimension.
void SafetensorsFiles::Place(const Part& part, std::size_t storage, std::string_view bytes, std::string& whole) const {
  const TensorLayout& layout = tensors_[storage].layout;
  const std::size_t element = ElementBytes(layout.dtype);
  const std::size_t last = part.shape.size() - 1;
  const std::size_t row = static_cast<std::size_t>(part.shape[last]) * element;
  std::vector<std::int64_t> at(part.shape.size(), 0);
  for (std::size_t from = 0; from < bytes.size(); from += row) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < at.size(); ++i) place += (part.offsets[i] + at[i]) * layout.strides[i];
    std::memcpy(whole.data() + static_cast<std::size_t>(place) * element, bytes.data() + from, row);
    for (std::size_t i = last; i-- > 0;) {
      if (++at[i] < part.shape[i]) break;
      at[i] = 0;
    }
  }
}

Result<void> SafetensorsFiles::ReadTensors(std::span<const TensorRead> reads) const {
  Plan plan(*this);
  for (const TensorRead& read : reads) {
    if (auto added = plan.Add(read); !added.ok()) return added;
  }
  return plan.Run();
}

Result<void> SafetensorsFiles::StreamStorage(std::size_t storage, const ByteSink& sink) const {
  const auto parts = std::span(parts_).subspan(first_part_[storage], first_part_[storage + 1] - first_part_[storage]);
  if (std::any_of(parts.begin(), parts.end(), [](const Part& part) { return !part.begin; })) {
    std::string bytes(static_cast<std::size_t>(storages_[storage].bytes), '\0');
    const TensorRead read{&tensors_[storage], std::as_writable_bytes(std::span(bytes))};
    if (auto done = ReadTensors({&read, 1}); !done.ok()) return done;
    return sink(read.into);
  }
  for (const Part& part : parts) {
    std::uint32_t checksum = 0;
    const ByteSink counted = [&](std::span<const std::byte> bytes) {
      if (part.crc32c) checksum = ExtendCrc32c(checksum, bytes);
      return sink(bytes);
    };
    if (auto read = StreamRange(files_[part.file], part.range, counted); !read.ok()) return read;
    if (part.crc32c && checksum != *part.crc32c) return Corrupted(part, storage);
  }
  return {};
}

}  // namespace gcsflux::internal
