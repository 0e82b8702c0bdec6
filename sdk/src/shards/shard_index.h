#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/result.h"

// The index of a shard, as it is stored:
//
//   "gcsflux shard index\n"  magic
//   version                  1
//   generation               of the shard, signed
//   size                     of the shard
//   members                  their number, then each:
//     shared                 bytes that its name begins with like the name before it
//     rest                   text: the bytes of the name behind them
//     gap                    bytes between the end of the member before it, with its padding, and its first header
//     headers                blocks of 512 bytes
//     size                   of its bytes
//     crc32c                 of its bytes: 4 bytes, little-endian
//   samples                  their number, then each:
//     gap                    members between it and the sample before it: those of no sample
//     count                  of its members, and of others between them
//     crc32c                 of all bytes from its first member's first header to its last member's padding
//   seal                     CRC32C of all bytes before it
//
// Numbers, texts and the seal are those of packed_bytes.h.
namespace gcsflux::internal {

/// What the name of a shard's index adds to that of the shard.
inline constexpr std::string_view kIndexEnding = ".index";

struct ShardIndex {
  struct Member {
    std::string name = {};
    std::uint64_t begin = 0;  ///< Offset of its first header.
    std::uint64_t data = 0;   ///< Offset of its bytes.
    std::uint64_t size = 0;
    std::uint32_t crc32c = 0;

    [[nodiscard]] std::uint64_t end() const;  ///< Behind its padding.
  };
  struct Sample {
    std::size_t first = 0;  ///< Its members are [first, first + count).
    std::size_t count = 0;
    std::uint32_t crc32c = 0;  ///< From the first one's `begin` to the last one's end().
  };
  std::int64_t generation = 0;
  std::uint64_t size = 0;
  std::vector<Member> members = {};
  std::vector<Sample> samples = {};

  [[nodiscard]] std::uint64_t BeginOf(const Sample& sample) const { return members[sample.first].begin; }
  [[nodiscard]] std::uint64_t SizeOf(const Sample& sample) const {
    return members[sample.first + sample.count - 1].end() - BeginOf(sample);
  }
  [[nodiscard]] std::string KeyOf(const Sample& sample) const;
};

std::string EncodeShardIndex(const ShardIndex& index);

/// Returns kCorrupted if the bytes are damaged, or say what no shard has: members or samples that overlap or are behind
/// the end, or have no sample's name. kInvalidArgument if the version is newer. `name` is that of the index.
Result<ShardIndex> DecodeShardIndex(const std::string& name, std::span<const std::byte> bytes);

}  // namespace gcsflux::internal
