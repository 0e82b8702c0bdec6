#include "formats/events/event_records.h"

#include <cstdint>
#include <span>

#include "base/crc32c.h"
#include "formats/bytes/format_error.h"
#include "formats/bytes/little_endian.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kFooter = 4;

// A checksum of bytes that contain their own checksum is weak, so checksums are stored masked.
std::uint32_t MaskedCrc32c(std::string_view bytes) {
  const std::uint32_t crc = ExtendCrc32c(0, std::as_bytes(std::span(bytes)));
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

bool HasMaskedCrc32c(std::string_view bytes, std::string_view stored) {
  return MaskedCrc32c(bytes) == FromLittleEndian<std::uint32_t>(stored);
}

}  // namespace

void AppendRecord(std::string& file, std::string_view payload) {
  std::string length;
  AppendLittleEndian(length, static_cast<std::uint64_t>(payload.size()));
  file += length;
  AppendLittleEndian(file, MaskedCrc32c(length));
  file += payload;
  AppendLittleEndian(file, MaskedCrc32c(payload));
}

Result<std::size_t> ReadRecords(std::string_view file, const std::string& name,
                                const std::function<void(std::string_view payload)>& on_payload) {
  std::size_t at = 0;
  while (file.size() - at >= kHeader) {
    const std::string_view header = file.substr(at, kHeader);
    if (!HasMaskedCrc32c(header.substr(0, 8), header.substr(8))) {
      return Undecodable(name, "", at, "the checksum of a record's length is wrong");
    }
    const auto size = FromLittleEndian<std::uint64_t>(header);
    const std::size_t rest = file.size() - at - kHeader;
    if (rest < kFooter || size > rest - kFooter) break;
    const std::string_view payload = file.substr(at + kHeader, static_cast<std::size_t>(size));
    if (!HasMaskedCrc32c(payload, file.substr(at + kHeader + payload.size(), kFooter))) {
      return Undecodable(name, "", at, "the checksum of a record is wrong");
    }
    on_payload(payload);
    at += kHeader + payload.size() + kFooter;
  }
  return at;
}

}  // namespace gcsflux::internal
