#include "formats/bytes/read_summed.h"

#include <string>

#include "base/checksum.h"
#include "formats/bytes/compare_at_once.h"

namespace gcsflux::internal {

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

}  // namespace gcsflux::internal
