#include "formats/bytes/read_summed.h"

#include <string>

#include "base/checksum.h"
#include "formats/bytes/compare_at_once.h"

namespace gcsflux::internal {

Result<std::vector<std::uint32_t>> ReadAllSummed(const ByteSource& source, std::span<const RangeRead> reads,
                                                 Checksum kind) {
  if (reads.empty()) return std::vector<std::uint32_t>();
  if (source.read_summed) {
    auto sums = source.read_summed(reads, kind);
    if (!sums.ok() || sums->size() == reads.size()) return sums;
    return Error{ErrorCode::kInvalidArgument, source.name + ": ByteSource::read_summed returned " +
                                                  std::to_string(sums->size()) + " checksums of " +
                                                  std::to_string(reads.size()) + " reads"};
  }
  if (auto read = ReadAll(source, reads); !read.ok()) return read.error();
  std::uint64_t bytes = 0;
  for (const RangeRead& read : reads) bytes += read.into.size();
  std::vector<std::uint32_t> sums(reads.size());
  ForEachAtOnce(reads.size(), bytes, [&](std::size_t i) { sums[i] = ExtendChecksum(kind, 0, reads[i].into); });
  return sums;
}

}  // namespace gcsflux::internal
