#include "formats/zip/zip_writer.h"

#include <algorithm>
#include <utility>

#include "base/crc32.h"
#include "formats/bytes/little_endian.h"
#include "formats/zip/zip_layout.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint16_t kFlags = zip::kDescriptorFlag | zip::kUtf8Flag;
constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kVersion64 = 45;
// The earliest possible date, so that equal contents give equal files.
constexpr std::uint16_t kFirstOfJanuary1980 = 0x0021;
constexpr std::size_t kDirectoryChunk = 64 << 10;

bool IsWide(std::uint64_t value) { return value >= zip::kMost32; }

std::uint32_t Narrow(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, zip::kMost32));
}

std::string WideField(std::initializer_list<std::uint64_t> values) {
  std::string field;
  AppendLittleEndian(field, zip::kZip64Extra);
  AppendLittleEndian(field, static_cast<std::uint16_t>(8 * values.size()));
  for (const std::uint64_t value : values) AppendLittleEndian(field, value);
  return field;
}

// The extra fields of the local header.
std::string LocalExtra(std::uint64_t offset, std::size_t name_bytes, std::uint64_t size) {
  // This field announces 64-bit sizes in the descriptor; their values follow there.
  std::string extra = IsWide(size) ? WideField({0, 0}) : std::string();
  const std::uint64_t begin = offset + zip::kLocalBytes + name_bytes + extra.size() + 4;
  const auto padding = static_cast<std::size_t>(zip::AlignedData(offset, name_bytes, size) - begin);
  AppendLittleEndian(extra, zip::kPaddingExtra);
  AppendLittleEndian(extra, static_cast<std::uint16_t>(padding));
  return extra.append(padding, 'Z');
}

std::string LocalHeader(std::uint64_t offset, std::string_view name, std::uint64_t size) {
  const std::string extra = LocalExtra(offset, name.size(), size);
  const std::uint32_t later = IsWide(size) ? zip::kMost32 : 0;
  std::string header(zip::kLocalSignature);
  AppendLittleEndian(header, IsWide(size) ? kVersion64 : kVersion);
  AppendLittleEndian(header, kFlags);
  AppendLittleEndian(header, std::uint16_t{0});  // Stored.
  AppendLittleEndian(header, std::uint16_t{0});
  AppendLittleEndian(header, kFirstOfJanuary1980);
  AppendLittleEndian(header, std::uint32_t{0});
  AppendLittleEndian(header, later);
  AppendLittleEndian(header, later);
  AppendLittleEndian(header, static_cast<std::uint16_t>(name.size()));
  AppendLittleEndian(header, static_cast<std::uint16_t>(extra.size()));
  return header.append(name).append(extra);
}

std::string Descriptor(std::uint64_t size, std::uint32_t crc32) {
  std::string descriptor(zip::kDescriptorSignature);
  AppendLittleEndian(descriptor, crc32);
  for (int i = 0; i < 2; ++i) {
    if (IsWide(size)) {
      AppendLittleEndian(descriptor, size);
    } else {
      AppendLittleEndian(descriptor, static_cast<std::uint32_t>(size));
    }
  }
  return descriptor;
}

std::string CentralExtra(std::uint64_t offset, std::uint64_t size) {
  if (IsWide(size)) return IsWide(offset) ? WideField({size, size, offset}) : WideField({size, size});
  return IsWide(offset) ? WideField({offset}) : std::string();
}

void AppendCentral(std::string& text, std::string_view name, std::uint64_t offset, std::uint64_t size,
                   std::uint32_t crc32) {
  const std::string extra = CentralExtra(offset, size);
  const std::uint16_t version = extra.empty() ? kVersion : kVersion64;
  text += zip::kCentralSignature;
  AppendLittleEndian(text, version);
  AppendLittleEndian(text, version);
  AppendLittleEndian(text, kFlags);
  AppendLittleEndian(text, std::uint16_t{0});
  AppendLittleEndian(text, std::uint16_t{0});
  AppendLittleEndian(text, kFirstOfJanuary1980);
  AppendLittleEndian(text, crc32);
  AppendLittleEndian(text, Narrow(size));
  AppendLittleEndian(text, Narrow(size));
  AppendLittleEndian(text, static_cast<std::uint16_t>(name.size()));
  AppendLittleEndian(text, static_cast<std::uint16_t>(extra.size()));
  text.append(10, '\0');  // No comment, the first disk, no attributes.
  AppendLittleEndian(text, Narrow(offset));
  text.append(name).append(extra);
}

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t end = 0;
  std::uint64_t count = 0;
};

std::string End64(const Directory& directory) {
  std::string end(zip::kEnd64Signature);
  AppendLittleEndian(end, std::uint64_t{zip::kEnd64Bytes - 12});
  AppendLittleEndian(end, kVersion64);
  AppendLittleEndian(end, kVersion64);
  AppendLittleEndian(end, std::uint64_t{0});
  AppendLittleEndian(end, directory.count);
  AppendLittleEndian(end, directory.count);
  AppendLittleEndian(end, directory.end - directory.offset);
  AppendLittleEndian(end, directory.offset);
  end += zip::kLocatorSignature;
  AppendLittleEndian(end, std::uint32_t{0});
  AppendLittleEndian(end, directory.end);
  AppendLittleEndian(end, std::uint32_t{1});
  return end;
}

std::string EndOf(const Directory& directory) {
  const std::uint64_t bytes = directory.end - directory.offset;
  const bool is_wide = IsWide(directory.offset) || IsWide(bytes) || directory.count >= zip::kMost16;
  const auto count = static_cast<std::uint16_t>(std::min<std::uint64_t>(directory.count, zip::kMost16));
  std::string end = is_wide ? End64(directory) : std::string();
  end += zip::kEndSignature;
  AppendLittleEndian(end, std::uint32_t{0});
  AppendLittleEndian(end, count);
  AppendLittleEndian(end, count);
  AppendLittleEndian(end, Narrow(bytes));
  AppendLittleEndian(end, Narrow(directory.offset));
  AppendLittleEndian(end, std::uint16_t{0});
  return end;
}

}  // namespace

Result<void> ZipWriter::Emit(std::string_view bytes) {
  position_ += bytes.size();
  if (sink_ == nullptr || bytes.empty()) return {};
  return (*sink_)(std::as_bytes(std::span(bytes)));
}

Result<void> ZipWriter::EndRecord() {
  if (!open_) return {};
  if (open_left_ != 0) {
    return Error{ErrorCode::kInvalidArgument, "record '" + open_->name + "' was announced with " +
                                                  std::to_string(open_->size) + " bytes, and " +
                                                  std::to_string(open_left_) + " of them were not given"};
  }
  written_.push_back(*std::exchange(open_, std::nullopt));
  return Emit(Descriptor(written_.back().size, written_.back().crc32));
}

Result<void> ZipWriter::BeginRecord(std::string_view name, std::uint64_t size) {
  if (name.empty() || name.size() > zip::kMost16) {
    return Error{ErrorCode::kInvalidArgument, "a record's name has between 1 and 65535 bytes"};
  }
  if (auto ended = EndRecord(); !ended) return ended;
  open_ = Written{.name = std::string(name), .offset = position_, .size = size};
  open_left_ = size;
  return Emit(LocalHeader(position_, name, size));
}

Result<void> ZipWriter::Write(std::span<const std::byte> data) {
  if (!open_ || data.size() > open_left_) {
    return Error{ErrorCode::kInvalidArgument, "more bytes were given than the record was announced with"};
  }
  open_->crc32 = ExtendCrc32(open_->crc32, data);
  open_left_ -= data.size();
  return Emit({reinterpret_cast<const char*>(data.data()), data.size()});
}

void ZipWriter::SkipData(std::uint64_t bytes) {
  position_ += bytes;
  open_left_ -= bytes;
}

Result<void> ZipWriter::Finish() {
  if (auto ended = EndRecord(); !ended) return ended;
  Directory directory{.offset = position_, .count = written_.size()};
  std::string chunk;
  for (const Written& record : written_) {
    AppendCentral(chunk, record.name, record.offset, record.size, record.crc32);
    if (chunk.size() < kDirectoryChunk) continue;
    if (auto sent = Emit(chunk); !sent) return sent;
    chunk.clear();
  }
  if (auto sent = Emit(chunk); !sent) return sent;
  directory.end = position_;
  return Emit(EndOf(directory));
}

}  // namespace gcsflux::internal
