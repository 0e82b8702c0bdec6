#include "store/log/record.h"

#include <span>

#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kChecksum = 4;

std::uint32_t ChecksumOf(std::string_view text) { return ExtendCrc32c(0, std::as_bytes(std::span(text))); }

}  // namespace

std::string RecordWriter::Take() {
  const std::uint32_t checksum = ChecksumOf(text_);
  for (std::size_t i = 0; i < kChecksum; ++i) text_ += static_cast<char>(checksum >> (8 * i));
  return std::move(text_);
}

void RecordWriter::Write(const std::string& value) {
  Write(static_cast<std::int64_t>(value.size()));
  text_ += value;
}

// Seven bits per byte, the lowest first; the sign is the lowest bit.
void RecordWriter::Write(std::int64_t value) {
  auto bits = (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U);
  for (; bits >= 0x80; bits >>= 7U) text_ += static_cast<char>(bits | 0x80U);
  text_ += static_cast<char>(bits);
}

void RecordWriter::Write(const std::map<std::string, std::string>& value) {
  Write(static_cast<std::int64_t>(value.size()));
  for (const auto& [key, item] : value) (*this)(key, item);
}

RecordReader::RecordReader(std::string_view text) : text_(text) {
  if (text.size() < kChecksum) throw BadRecord();
  text_.remove_suffix(kChecksum);
  const std::uint32_t checksum = ChecksumOf(text_);
  for (std::size_t i = 0; i < kChecksum; ++i) {
    if (text[text_.size() + i] != static_cast<char>(checksum >> (8 * i))) throw BadRecord();
  }
}

void RecordReader::Read(std::int64_t& value) {
  std::uint64_t bits = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (text_.empty()) throw BadRecord();
    const auto byte = static_cast<unsigned char>(text_.front());
    text_.remove_prefix(1);
    bits |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) {
      value = static_cast<std::int64_t>((bits >> 1U) ^ (~(bits & 1U) + 1U));
      return;
    }
  }
  throw BadRecord();
}

void RecordReader::Read(Time& value) {
  std::int64_t count = 0;
  Read(count);
  value = Time(Time::duration(count));
}

void RecordReader::Read(std::chrono::seconds& value) {
  std::int64_t count = 0;
  Read(count);
  value = std::chrono::seconds(count);
}

std::string_view RecordReader::ReadText() {
  std::uint64_t size = 0;
  Read(size);
  if (size > text_.size()) throw BadRecord();
  const std::string_view value = text_.substr(0, size);
  text_.remove_prefix(size);
  return value;
}

void RecordReader::Read(std::map<std::string, std::string>& value) {
  std::uint64_t count = 0;
  Read(count);
  for (; count != 0; --count) {
    std::string key(ReadText());
    value.insert_or_assign(std::move(key), std::string(ReadText()));
  }
}

std::string KeyNumber(std::uint64_t number) {
  std::string key(8, '\0');
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<char>(number >> (56 - 8 * i));
  return key;
}

std::uint64_t NumberInKey(std::string_view key, std::size_t at) {
  if (key.size() < at + 8) throw BadRecord();
  std::uint64_t number = 0;
  for (const char c : key.substr(at, 8)) number = number << 8U | static_cast<unsigned char>(c);
  return number;
}

}  // namespace gcsflux::emulator
