#include "torch/archive_source.h"

#include <caffe2/serialize/inline_container.h>
#include <caffe2/serialize/read_adapter_interface.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crc32.h"
#include "formats/bytes/format_error.h"
#include "torch/first_line.h"

namespace gcsflux {
namespace {

using internal::ZipEntry;

// The directory is searched in this many bytes.
constexpr std::uint64_t kTailBytes = 256U << 10;
// More than padding and a record's header: smaller gaps count as sequential reading.
constexpr std::uint64_t kMostSkipped = 1U << 20;
constexpr std::size_t kHeadBytes = 64;

// Records that are only copied: "archive/data/0", "archive/constants/0", and extra files, which are not read.
bool IsCopied(std::string_view name) {
  name.remove_prefix(std::min(name.size(), name.find('/') + 1));
  return name.starts_with("data/") || name.starts_with("constants/") || name.starts_with("extra/");
}

/// For libtorch's reader of records.
class Adapter : public caffe2::serialize::ReadAdapterInterface {
 public:
  explicit Adapter(ArchiveSource& source) : source_(source) {}
  [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(source_.size()); }
  std::size_t read(std::uint64_t offset, void* into, std::size_t size, const char* /*what*/) const override {
    return source_.Read(offset, {static_cast<std::byte*>(into), size});
  }

 private:
  ArchiveSource& source_;
};

}  // namespace

ObjectReaderOptions ArchiveSource::ReaderOptions(ObjectReaderOptions options) {
  options.reads_whole = true;
  options.tail_bytes = std::max(options.tail_bytes, kTailBytes);
  return options;
}

Result<void> ArchiveSource::Begin() {
  const ByteSource source{
      .name = ToUri(reader_.source().object), .size = size(), .read_at = [&](std::uint64_t offset, auto into) {
        return reader_.Read({{offset, into}});
      }};
  const auto directory = internal::ZipDirectory::Read(source);
  if (!directory) return directory.error();
  if (auto held = Hold(*directory); !held) return held;
  if (auto held = HoldHead(); !held) return held;
  return CompareHeld(*directory);
}

Result<void> ArchiveSource::Hold(const internal::ZipDirectory& directory) {
  std::vector<RangeRead> reads;
  for (const ZipEntry& entry : directory.entries()) {
    if (IsCopied(entry.name)) continue;
    std::string& bytes = held_[entry.header_offset];
    bytes.resize(static_cast<std::size_t>(entry.limit - entry.header_offset));
    reads.push_back({entry.header_offset, std::as_writable_bytes(std::span(bytes))});
  }
  return reader_.Read(reads);
}

// libtorch reads the first bytes before the directory. Reading them starts the reading ahead.
Result<void> ArchiveSource::HoldHead() {
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(size(), kHeadBytes)), '\0');
  if (auto read = reader_.ReadNext(std::as_writable_bytes(std::span(head))); !read) return read.error();
  held_.try_emplace(0, std::move(head));
  return {};
}

// libtorch decompresses compressed records. It names records without the archive's name.
Result<void> ArchiveSource::CompareHeld(const internal::ZipDirectory& directory) {
  const auto fail = [&](ErrorCode code, const ZipEntry& entry, const std::string& why) {
    return internal::FormatError(code, ToUri(reader_.source().object), std::string(entry.name), entry.header_offset,
                                 why);
  };
  const ZipEntry* at = nullptr;
  try {
    caffe2::serialize::PyTorchStreamReader records(std::make_shared<Adapter>(*this));
    for (const ZipEntry& entry : directory.entries()) {
      if (IsCopied(entry.name)) continue;
      at = &entry;
      const auto [bytes, size] = records.getRecord(std::string(entry.name.substr(entry.name.find('/') + 1)));
      const std::span<const std::byte> unpacked(static_cast<const std::byte*>(bytes.get()), size);
      if (internal::ExtendCrc32(0, unpacked) == entry.crc32) continue;
      return fail(ErrorCode::kCorrupted, entry, "the record's bytes do not have its CRC-32");
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    if (failure_) return *failure_;
    if (at != nullptr) return fail(ErrorCode::kUndecodable, *at, FirstLine(failure));
    return Error{ErrorCode::kUndecodable, FirstLine(failure)};
  }
  return {};
}

std::size_t ArchiveSource::Read(std::uint64_t offset, std::span<std::byte> into) {
  if (failure_ || offset >= size()) return 0;
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size() - offset)));
  const std::size_t held = CopyHeld(offset, into);
  if (held == into.size()) return held;
  const auto read = ReadObject(offset + held, into.subspan(held));
  if (read) return held + *read;
  failure_ = read.error();
  return 0;
}

std::size_t ArchiveSource::CopyHeld(std::uint64_t offset, std::span<std::byte> into) const {
  const auto next = held_.upper_bound(offset);
  if (next == held_.begin()) return 0;
  const auto& [begin, bytes] = *std::prev(next);
  if (offset - begin >= bytes.size()) return 0;
  const std::string_view rest = std::string_view(bytes).substr(static_cast<std::size_t>(offset - begin));
  const std::size_t count = std::min(rest.size(), into.size());
  std::memcpy(into.data(), rest.data(), count);
  return count;
}

// The reader keeps the tail. Only a read at the position or a little behind it changes the position.
Result<std::size_t> ArchiveSource::ReadObject(std::uint64_t offset, std::span<std::byte> into) {
  const std::uint64_t position = reader_.position();
  const bool is_next = offset >= position && offset - position <= kMostSkipped;
  const bool is_tail = size() - offset <= kTailBytes;
  if (!is_next || is_tail) return reader_.ReadAt(offset, into);
  reader_.Seek(offset);
  return reader_.ReadNext(into);
}

}  // namespace gcsflux
