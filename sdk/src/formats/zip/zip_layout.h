#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// The fields of zip archives: APPNOTE.TXT 6.3.9, 4.3.7 to 4.3.16 and 4.5.3. All numbers are little-endian.
namespace gcsflux::internal::zip {

constexpr std::string_view kLocalSignature = {"PK\x03\x04", 4};
constexpr std::string_view kDescriptorSignature = {"PK\x07\x08", 4};
constexpr std::string_view kCentralSignature = {"PK\x01\x02", 4};
constexpr std::string_view kEndSignature = {"PK\x05\x06", 4};
constexpr std::string_view kEnd64Signature = {"PK\x06\x06", 4};
constexpr std::string_view kLocatorSignature = {"PK\x06\x07", 4};

constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocatorBytes = 20;

constexpr std::uint16_t kMost16 = 0xFFFF;
constexpr std::uint32_t kMost32 = 0xFFFFFFFF;

constexpr std::uint16_t kEncryptedFlag = 0x0001;
constexpr std::uint16_t kDescriptorFlag = 0x0008;
constexpr std::uint16_t kUtf8Flag = 0x0800;

constexpr std::uint16_t kZip64Extra = 0x0001;
constexpr std::uint16_t kPaddingExtra = 0x4246;  ///< "FB": PyTorch aligns its records with it.

constexpr std::uint64_t kUsualAlignment = 64;

/// Where PyTorch's writers, and ours, put a record's data: at the next multiple of the alignment behind the local
/// header, its extra field's header, and the 64-bit numbers of large files. PyTorch always writes those numbers; if
/// ours needs none, it leaves the same room.
constexpr std::uint64_t AlignedData(std::uint64_t header_offset, std::size_t name_bytes, std::uint64_t size,
                                    std::uint64_t alignment = kUsualAlignment) {
  std::uint64_t begin = header_offset + kLocalBytes + name_bytes + 4;
  if (size >= kMost32 || header_offset >= kMost32) begin += 4;
  if (size >= kMost32) begin += 16;
  if (header_offset >= kMost32) begin += 8;
  return (begin + alignment - 1) / alignment * alignment;
}

}  // namespace gcsflux::internal::zip
