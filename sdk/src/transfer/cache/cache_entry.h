#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gcsflux/download.h"

// The form of a file in a disk cache: its head, and the bytes of an object or of a part of one. The head has a magic
// number, the size, the CRC32C of each block of the bytes, and the entry's key. Numbers are little-endian.
namespace gcsflux::internal {

/// The bytes of a block have a CRC32C of their own, so that a large entry is read and compared piece by piece.
inline constexpr std::uint64_t kCacheBlock = std::uint64_t{1} << 20;

/// What an entry holds, and how its file is named and laid out. Pure.
class CacheEntry {
 public:
  /// Of what is read from this service. The generation makes it immutable.
  CacheEntry(const std::string& endpoint, const DownloadSource& source);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::size_t blocks() const { return static_cast<std::size_t>((size_ + kCacheBlock - 1) / kCacheBlock); }
  /// 64 hexadecimal digits.
  [[nodiscard]] const std::string& file_name() const { return file_name_; }
  [[nodiscard]] std::size_t head_bytes() const;
  [[nodiscard]] std::uint64_t file_bytes() const { return head_bytes() + size_; }
  [[nodiscard]] std::uint64_t BlockBytes(std::size_t block) const;

  [[nodiscard]] std::vector<std::byte> Head(std::span<const std::uint32_t> crc32c_of_blocks) const;
  /// The checksums of the blocks. Nothing if it is the head of another entry or format, or if the bytes would have
  /// another CRC32C than the source.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> ParseHead(std::span<const std::byte> head) const;

  /// Whether a file in the directory has the name of an entry.
  static bool IsFileName(const std::string& name);
  /// The CRC32C of all bytes.
  [[nodiscard]] std::uint32_t Whole(std::span<const std::uint32_t> crc32c_of_blocks) const;

 private:
  std::string key_;
  std::string file_name_;
  std::uint64_t size_;
  std::optional<std::uint32_t> crc32c_;
};

}  // namespace gcsflux::internal
