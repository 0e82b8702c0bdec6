#include "formats/distributed_archives.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "formats/bytes/source_reads.h"
#include "formats/cached_ends.h"

namespace gcsflux::internal {
namespace {

// Around a tensor, torch.save writes 0.6 KiB before it and 0.8 KiB behind it.
constexpr std::uint64_t kEnd = 2 << 10;
constexpr std::size_t kMostAtOnce = 4096;

struct ArchiveEnds {
  std::string head = {};
  std::string tail = {};
};

void AddReads(FileRange range, ArchiveEnds& ends, std::vector<RangeRead>& reads) {
  const bool is_whole = range.size() <= 2 * kEnd;
  ends.head.resize(static_cast<std::size_t>(is_whole ? range.size() : kEnd));
  ends.tail.resize(static_cast<std::size_t>(is_whole ? 0 : kEnd));
  if (!ends.head.empty()) reads.push_back({range.begin, std::as_writable_bytes(std::span(ends.head))});
  if (!ends.tail.empty()) reads.push_back({range.end - kEnd, std::as_writable_bytes(std::span(ends.tail))});
}

// The item as a file of its own. Borrows the file.
ByteSource SourceOfItem(const ByteSource& file, FileRange range, ArchiveEnds ends) {
  ByteSource item{.name = file.name + " from byte " + std::to_string(range.begin) + " on",
                  .size = range.size(),
                  .read_at = [&file, begin = range.begin](std::uint64_t offset, std::span<std::byte> into) {
                    return file.read_at(begin + offset, into);
                  }};
  return WithKnownEnds(std::move(item), std::move(ends.head), std::move(ends.tail));
}

Result<void> OpenSome(std::span<const ByteSource> files, std::span<const DistributedItem> items, std::size_t first,
                      const VisitArchive& visit) {
  std::vector<ArchiveEnds> ends(items.size());
  std::vector<std::vector<RangeRead>> reads(files.size());
  for (std::size_t i = 0; i < items.size(); ++i) AddReads(items[i].range, ends[i], reads[items[i].file]);
  for (std::size_t file = 0; file < files.size(); ++file) {
    if (auto read = ReadAll(files[file], reads[file]); !read) return read;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto archive = TorchFile::Open(SourceOfItem(files[items[i].file], items[i].range, std::move(ends[i])));
    if (!archive) return archive.error();
    if (auto visited = visit(first + i, *archive); !visited) return visited;
  }
  return {};
}

}  // namespace

Result<void> OpenArchives(std::span<const ByteSource> files, std::span<const DistributedItem> items,
                          const VisitArchive& visit) {
  for (std::size_t first = 0; first < items.size(); first += kMostAtOnce) {
    const auto some = items.subspan(first, std::min(kMostAtOnce, items.size() - first));
    if (auto opened = OpenSome(files, some, first, visit); !opened) return opened;
  }
  return {};
}

}  // namespace gcsflux::internal
