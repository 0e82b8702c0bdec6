#include "formats/bytes/storage_pieces.h"

#include <algorithm>
#include <memory>

namespace gcsflux::internal {

Result<void> StreamRange(const ByteSource& source, FileRange range, const ByteSink& sink) {
  constexpr std::uint64_t kPiece = 32 << 20;
  const auto longest = static_cast<std::size_t>(std::min(range.size(), kPiece));
  const auto piece = std::make_unique_for_overwrite<std::byte[]>(longest);
  while (range.begin < range.end) {
    const std::span<std::byte> now(piece.get(), static_cast<std::size_t>(std::min(range.size(), kPiece)));
    if (auto read = source.read_at(range.begin, now); !read) return read;
    if (auto taken = sink(now); !taken) return taken;
    range.begin += now.size();
  }
  return {};
}

}  // namespace gcsflux::internal
