#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::internal {

/// Bytes [begin, end) of a step's file.
struct FileStretch {
  std::size_t file = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  friend auto operator<=>(const FileStretch&, const FileStretch&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Returns them as bytes, for the other ranks of the host.
std::string FormatFileStretches(const std::vector<FileStretch>& stretches);
/// Returns nothing if the bytes are damaged.
std::optional<std::vector<FileStretch>> ParseFileStretches(std::string_view bytes);

/// Decides which rank of a host reads which bytes, so that each byte is read once. A rank reads long ranges that only
/// it needs. The other ranges are joined into one sequence, and each rank reads an equal part into memory that all
/// ranks can see. A pure function of what the ranks need.
class SharedReads {
 public:
  explicit SharedReads(const std::vector<std::vector<FileStretch>>& of_ranks);

  /// Where wanted bytes come from.
  struct Chunk {
    FileStretch stretch = {};
    /// The rank whose memory has them. Absent if the rank that wants them reads them.
    std::optional<std::size_t> reader = {};
    std::uint64_t place = 0;  ///< In that memory.
  };
  /// The wanted bytes, in order, as chunks.
  [[nodiscard]] std::vector<Chunk> ChunksOf(const FileStretch& wanted) const;

  /// What a rank reads into its memory, in this order, without gaps.
  [[nodiscard]] std::vector<FileStretch> ReadBy(std::size_t rank) const;
  /// The size of that memory.
  [[nodiscard]] std::uint64_t BytesOf(std::size_t rank) const { return cuts_[rank + 1] - cuts_[rank]; }

 private:
  struct Run {
    FileStretch stretch = {};
    std::uint64_t place = 0;  // In the sequence.
  };

  std::vector<Run> runs_;            // Sorted.
  std::vector<std::uint64_t> cuts_;  // Of the sequence: one more than there are ranks.
};

}  // namespace gcsflux::internal
