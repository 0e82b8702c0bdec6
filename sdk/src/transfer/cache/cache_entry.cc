#include "transfer/cache/cache_entry.h"

#include <algorithm>
#include <cstring>

#include "base/crc32c.h"
#include "base/sha256.h"

namespace gcsflux::internal {
namespace {

constexpr std::string_view kMagic = "GCSFLUX1";
constexpr std::size_t kFixedBytes = kMagic.size() + 2 * sizeof(std::uint64_t);
constexpr std::size_t kNameDigits = 64;

void Put(std::vector<std::byte>& head, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) head.push_back(static_cast<std::byte>(value >> (8 * i)));
}

std::uint32_t CrcAt(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) value |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  return value;
}

}  // namespace

CacheEntry::CacheEntry(const std::string& endpoint, const DownloadSource& source)
    : key_(endpoint + "\n" + source.object.bucket + "\n" + std::to_string(source.generation) + " " +
           std::to_string(source.offset.value_or(0)) + " " + std::to_string(source.size) +
           (source.offset ? " part\n" : "\n") + source.object.name),
      file_name_(Sha256Hex(key_)),
      size_(source.size),
      crc32c_(source.crc32c) {}

std::size_t CacheEntry::head_bytes() const { return kFixedBytes + blocks() * sizeof(std::uint32_t) + key_.size(); }

std::uint64_t CacheEntry::BlockBytes(std::size_t block) const {
  return std::min<std::uint64_t>(kCacheBlock, size_ - block * kCacheBlock);
}

std::vector<std::byte> CacheEntry::Head(std::span<const std::uint32_t> crc32c_of_blocks) const {
  std::vector<std::byte> head;
  head.reserve(head_bytes());
  for (const char c : kMagic) head.push_back(static_cast<std::byte>(c));
  Put(head, size_, sizeof size_);
  Put(head, key_.size(), sizeof(std::uint64_t));
  for (const std::uint32_t crc32c : crc32c_of_blocks) Put(head, crc32c, sizeof crc32c);
  for (const char c : key_) head.push_back(static_cast<std::byte>(c));
  return head;
}

std::optional<std::vector<std::uint32_t>> CacheEntry::ParseHead(std::span<const std::byte> head) const {
  if (head.size() != head_bytes()) return std::nullopt;
  std::vector<std::uint32_t> checksums(blocks());
  for (std::size_t i = 0; i < checksums.size(); ++i) {
    checksums[i] = CrcAt(head.subspan(kFixedBytes + i * sizeof(std::uint32_t)));
  }
  if (!std::ranges::equal(Head(checksums), head)) return std::nullopt;
  if (crc32c_ && Whole(checksums) != *crc32c_) return std::nullopt;
  return checksums;
}

std::uint32_t CacheEntry::Whole(std::span<const std::uint32_t> crc32c_of_blocks) const {
  std::uint32_t whole = 0;
  for (std::size_t i = 0; i < crc32c_of_blocks.size(); ++i) {
    whole = CombineCrc32c(whole, crc32c_of_blocks[i], BlockBytes(i));
  }
  return whole;
}

bool CacheEntry::IsFileName(const std::string& name) {
  return name.size() == kNameDigits && name.find_first_not_of("0123456789abcdef") == name.npos;
}

}  // namespace gcsflux::internal
