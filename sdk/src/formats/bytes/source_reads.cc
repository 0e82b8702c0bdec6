#include "formats/bytes/source_reads.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/checksum.h"
#include "formats/bytes/compare_at_once.h"

namespace gcsflux {

ByteSource SourceOf(std::string name, std::span<const std::byte> bytes) {
  const auto read_at = [bytes](std::uint64_t offset, std::span<std::byte> into) -> Result<void> {
    if (offset > bytes.size() || into.size() > bytes.size() - offset) {
      return Error{ErrorCode::kOutOfRange, "a read past the end of the bytes"};
    }
    const auto from = bytes.subspan(static_cast<std::size_t>(offset), into.size());
    std::copy(from.begin(), from.end(), into.begin());
    return {};
  };
  return {.name = std::move(name), .size = bytes.size(), .read_at = read_at};
}

namespace internal {

Result<void> ReadAll(const ByteSource& source, std::span<const RangeRead> reads) {
  if (source.read_all && !reads.empty()) {
    if (auto read = source.read_all(reads, {}); !read) return read.error();
    return {};
  }
  for (const RangeRead& read : reads) {
    if (auto done = source.read_at(read.offset, read.into); !done) return done;
  }
  return {};
}

Result<ReadSums> ReadAllSummed(const ByteSource& source, std::span<const RangeRead> reads, Checksum kind) {
  if (reads.empty()) return ReadSums();
  if (source.read_all) {
    auto sums = source.read_all(reads, kind);
    if (!sums || sums->size() == reads.size()) return sums;
    if (!sums->empty()) {
      return Error{ErrorCode::kInvalidArgument, source.name + ": ByteSource::read_all returned " +
                                                    std::to_string(sums->size()) + " checksums of " +
                                                    std::to_string(reads.size()) + " reads"};
    }
  } else if (auto read = ReadAll(source, reads); !read) {
    return read.error();
  }
  std::uint64_t bytes = 0;
  for (const RangeRead& read : reads) bytes += read.into.size();
  ReadSums sums(reads.size());
  ForEachAtOnce(reads.size(), bytes, [&](std::size_t i) { sums[i] = ExtendChecksum(kind, 0, reads[i].into); });
  return sums;
}

Result<void> StreamRange(const ByteSource& source, FileRange range, const ByteSink& sink) {
  constexpr std::uint64_t kChunk = 32 << 20;
  const auto longest = static_cast<std::size_t>(std::min(range.size(), kChunk));
  const auto chunk = std::make_unique_for_overwrite<std::byte[]>(longest);
  while (range.begin < range.end) {
    const std::span<std::byte> now(chunk.get(), static_cast<std::size_t>(std::min(range.size(), kChunk)));
    if (auto read = source.read_at(range.begin, now); !read) return read;
    if (auto taken = sink(now); !taken) return taken;
    range.begin += now.size();
  }
  return {};
}

}  // namespace internal
}  // namespace gcsflux
