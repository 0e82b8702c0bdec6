#include "formats/zip/zip_directory.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "formats/bytes/format_error.h"
#include "formats/bytes/little_endian.h"
#include "formats/zip/zip_layout.h"

namespace gcsflux::internal {
namespace {

// Enough for the end records, and the directory of about 2,000 records.
constexpr std::uint64_t kTailBytes = 256 << 10;
constexpr std::uint64_t kMostComment = zip::kMost16;

Error Broken(const ByteSource& source, std::uint64_t offset, const std::string& why) {
  return Undecodable(source.name, "", offset, why + "; the zip archive is damaged or was cut off");
}

std::span<std::byte> BytesOf(std::string& text) { return std::as_writable_bytes(std::span(text)); }

struct Tail {
  std::string bytes;
  std::uint64_t offset = 0;  // Of its first byte.
};

Result<Tail> ReadTail(const ByteSource& source) {
  const std::uint64_t size = std::min(source.size, kTailBytes);
  Tail tail{.bytes = std::string(static_cast<std::size_t>(size), '\0'), .offset = source.size - size};
  if (const auto read = source.read_at(tail.offset, BytesOf(tail.bytes)); !read) return read.error();
  return tail;
}

// The content of the end records.
struct End {
  std::uint64_t directory_offset = 0;
  std::uint64_t directory_bytes = 0;
  std::uint64_t count = 0;
  std::uint64_t place = 0;  // The place of the first end record, where the directory must end.
};

// The end record's place in the tail. If a comment or a name imitates one, there are two.
Result<std::size_t> FindEnd(const ByteSource& source, const Tail& tail) {
  std::optional<std::size_t> found;
  const std::string_view bytes = tail.bytes;
  std::size_t at = bytes.size() < zip::kEndBytes ? bytes.npos : bytes.rfind(zip::kEndSignature);
  for (; at != bytes.npos && at + zip::kEndBytes + kMostComment >= bytes.size();
       at = at == 0 ? bytes.npos : bytes.rfind(zip::kEndSignature, at - 1)) {
    if (at + zip::kEndBytes > bytes.size()) continue;
    const auto comment = FromLittleEndian<std::uint16_t>(bytes.substr(at + 20));
    if (at + zip::kEndBytes + comment != bytes.size()) continue;
    if (found) return Broken(source, tail.offset + at, "there are two end records, and one of them is imitated");
    found = at;
  }
  if (!found) return Broken(source, source.size, "there is no end record");
  return *found;
}

// The 64-bit record before the end record at `at`. Nothing if there is none.
Result<std::optional<End>> ReadEnd64(const ByteSource& source, const Tail& tail, std::size_t at) {
  const std::string_view bytes = tail.bytes;
  if (at < zip::kLocatorBytes) return std::optional<End>();
  const std::string_view locator = bytes.substr(at - zip::kLocatorBytes, zip::kLocatorBytes);
  if (!locator.starts_with(zip::kLocatorSignature)) return std::optional<End>();
  const std::uint64_t locator_place = tail.offset + at - zip::kLocatorBytes;
  if (at < zip::kLocatorBytes + zip::kEnd64Bytes)
    return Broken(source, locator_place, "the zip64 end record is missing");
  const std::string_view record = bytes.substr(at - zip::kLocatorBytes - zip::kEnd64Bytes, zip::kEnd64Bytes);
  const std::uint64_t place = locator_place - zip::kEnd64Bytes;
  const bool is_one = record.starts_with(zip::kEnd64Signature) &&
                      FromLittleEndian<std::uint64_t>(record.substr(4)) == zip::kEnd64Bytes - 12 &&
                      FromLittleEndian<std::uint64_t>(locator.substr(8)) == place;
  const bool is_one_disk = FromLittleEndian<std::uint32_t>(locator.substr(4)) == 0 &&
                           FromLittleEndian<std::uint32_t>(locator.substr(16)) == 1 &&
                           FromLittleEndian<std::uint64_t>(record.substr(16)) == 0;
  if (!is_one || !is_one_disk) return Broken(source, locator_place, "the zip64 end record is not where it should be");
  const End end{.directory_offset = FromLittleEndian<std::uint64_t>(record.substr(48)),
                .directory_bytes = FromLittleEndian<std::uint64_t>(record.substr(40)),
                .count = FromLittleEndian<std::uint64_t>(record.substr(32)),
                .place = place};
  if (FromLittleEndian<std::uint64_t>(record.substr(24)) != end.count) {
    return Broken(source, place, "the zip64 end record gives two counts of records");
  }
  return std::optional<End>(end);
}

template <class Small>
bool Agrees(Small small, std::uint64_t value, bool has_64) {
  const Small most = static_cast<Small>(~Small{0});
  return small == value || (has_64 && small == most);
}

Result<End> ReadEnd(const ByteSource& source, const Tail& tail) {
  const auto at = FindEnd(source, tail);
  if (!at) return at.error();
  const std::string_view record = std::string_view(tail.bytes).substr(*at);
  const auto disk = FromLittleEndian<std::uint16_t>(record.substr(4));
  const auto first_disk = FromLittleEndian<std::uint16_t>(record.substr(6));
  const auto here = FromLittleEndian<std::uint16_t>(record.substr(8));
  const auto count = FromLittleEndian<std::uint16_t>(record.substr(10));
  const auto bytes = FromLittleEndian<std::uint32_t>(record.substr(12));
  const auto offset = FromLittleEndian<std::uint32_t>(record.substr(16));
  const std::uint64_t place = tail.offset + *at;
  const auto end64 = ReadEnd64(source, tail, *at);
  if (!end64) return end64.error();
  const bool has_64 = end64->has_value();
  const End end = has_64 ? **end64 : End{offset, bytes, count, place};
  const bool is_one_disk = Agrees(disk, 0, has_64) && Agrees(first_disk, 0, has_64);
  if (!is_one_disk || !Agrees(here, end.count, has_64) || !Agrees(count, end.count, has_64) ||
      !Agrees(bytes, end.directory_bytes, has_64) || !Agrees(offset, end.directory_offset, has_64)) {
    return Broken(source, place, "the end record contradicts itself");
  }
  if (end.directory_offset > end.place || end.directory_bytes != end.place - end.directory_offset) {
    return Broken(source, place, "the directory is not where the end record says");
  }
  if (end.count > end.directory_bytes / zip::kCentralBytes) {
    return Broken(source, place, "the end record counts more records than the directory can hold");
  }
  return end;
}

// The zip64 field's values for those sizes and offsets that do not fit into 32 bits.
struct Wide {
  std::uint64_t size = 0;
  std::uint64_t stored = 0;
  std::uint64_t offset = 0;
};

// False if the field is missing, too short, or occurs twice.
bool ReadWide(std::string_view extra, Wide& wide) {
  std::optional<std::string_view> field;
  while (extra.size() >= 4) {
    const auto id = FromLittleEndian<std::uint16_t>(extra);
    const auto length = FromLittleEndian<std::uint16_t>(extra.substr(2));
    if (length > extra.size() - 4) return false;
    if (id == zip::kZip64Extra) {
      if (field) return false;
      field = extra.substr(4, length);
    }
    extra.remove_prefix(4 + std::size_t{length});
  }
  for (std::uint64_t* value : {&wide.size, &wide.stored, &wide.offset}) {
    if (*value != zip::kMost32) continue;
    if (!field || field->size() < 8) return false;
    *value = FromLittleEndian<std::uint64_t>(*field);
    field->remove_prefix(8);
  }
  return true;
}

// Takes the entry at the beginning of `rest`. Nothing if there is none.
std::optional<ZipEntry> TakeEntry(std::string_view& rest) {
  if (rest.size() < zip::kCentralBytes || !rest.starts_with(zip::kCentralSignature)) return std::nullopt;
  const std::size_t name = FromLittleEndian<std::uint16_t>(rest.substr(28));
  const std::size_t extra = FromLittleEndian<std::uint16_t>(rest.substr(30));
  const std::size_t comment = FromLittleEndian<std::uint16_t>(rest.substr(32));
  const std::size_t bytes = zip::kCentralBytes + name + extra + comment;
  if (bytes > rest.size() || name == 0 || FromLittleEndian<std::uint16_t>(rest.substr(34)) != 0) return std::nullopt;
  Wide wide{.size = FromLittleEndian<std::uint32_t>(rest.substr(24)),
            .stored = FromLittleEndian<std::uint32_t>(rest.substr(20)),
            .offset = FromLittleEndian<std::uint32_t>(rest.substr(42))};
  if (!ReadWide(rest.substr(zip::kCentralBytes + name, extra), wide)) return std::nullopt;
  ZipEntry entry{.name = rest.substr(zip::kCentralBytes, name),
                 .header_offset = wide.offset,
                 .size = wide.stored,
                 .crc32 = FromLittleEndian<std::uint32_t>(rest.substr(16)),
                 .method = FromLittleEndian<std::uint16_t>(rest.substr(10)),
                 .flags = FromLittleEndian<std::uint16_t>(rest.substr(8))};
  if (entry.method == 0 && wide.size != wide.stored) return std::nullopt;
  rest.remove_prefix(bytes);
  return entry;
}

}  // namespace

Result<ZipDirectory> ZipDirectory::Read(const ByteSource& source) {
  const auto tail = ReadTail(source);
  if (!tail) return tail.error();
  const auto end = ReadEnd(source, *tail);
  if (!end) return end.error();
  ZipDirectory directory;
  if (end->directory_offset >= tail->offset) {
    directory.bytes_ = std::make_unique<std::string>(
        tail->bytes, static_cast<std::size_t>(end->directory_offset - tail->offset), end->directory_bytes);
  } else {
    directory.bytes_ = std::make_unique<std::string>(static_cast<std::size_t>(end->directory_bytes), '\0');
    const auto read = source.read_at(end->directory_offset, BytesOf(*directory.bytes_));
    if (!read) return read.error();
  }
  if (auto parsed = directory.Parse(source, end->directory_offset, end->count); !parsed) return parsed.error();
  if (auto places = directory.CheckPlaces(source, end->directory_offset); !places) return places.error();
  if (auto names = directory.IndexNames(source, end->directory_offset); !names) return names.error();
  return directory;
}

Result<void> ZipDirectory::Parse(const ByteSource& source, std::uint64_t directory_offset, std::uint64_t count) {
  entries_.reserve(static_cast<std::size_t>(count));
  std::string_view rest = *bytes_;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t place = directory_offset + (bytes_->size() - rest.size());
    const std::optional<ZipEntry> entry = TakeEntry(rest);
    if (!entry) return Broken(source, place, "record " + std::to_string(i) + " of the directory makes no sense");
    entries_.push_back(*entry);
  }
  if (!rest.empty()) return Broken(source, directory_offset, "the directory holds more than its records");
  return {};
}

// Checks that no record overlaps the next one or the directory. Only a local header itself tells its length, so this
// uses its smallest length. LocateRecord() checks again.
Result<void> ZipDirectory::CheckPlaces(const ByteSource& source, std::uint64_t directory_offset) {
  std::vector<ZipEntry*> by_place;
  by_place.reserve(entries_.size());
  for (ZipEntry& entry : entries_) by_place.push_back(&entry);
  std::sort(by_place.begin(), by_place.end(),
            [](const ZipEntry* a, const ZipEntry* b) { return a->header_offset < b->header_offset; });
  std::uint64_t limit = directory_offset;
  for (auto entry = by_place.rbegin(); entry != by_place.rend(); ++entry) {
    const std::uint64_t least = zip::kLocalBytes + (*entry)->name.size();
    const std::uint64_t offset = (*entry)->header_offset;
    if (offset > limit || limit - offset < least || (*entry)->size > limit - offset - least) {
      return Broken(source, offset, "record " + Shown(std::string((*entry)->name)) + " reaches into what is behind it");
    }
    (*entry)->limit = limit;
    limit = offset;
  }
  return {};
}

Result<void> ZipDirectory::IndexNames(const ByteSource& source, std::uint64_t directory_offset) {
  by_name_.reserve(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (by_name_.emplace(entries_[i].name, i).second) continue;
    return Broken(source, directory_offset, "there are two records " + Shown(std::string(entries_[i].name)));
  }
  return {};
}

const ZipEntry* ZipDirectory::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

}  // namespace gcsflux::internal
