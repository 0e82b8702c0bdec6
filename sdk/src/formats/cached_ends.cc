#include "formats/cached_ends.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "formats/bytes/source_reads.h"
#include "formats/bytes/tensor_layout.h"

namespace gcsflux::internal {
namespace {

struct Ends {
  ByteSource source;
  std::string head;
  std::string tail;

  // True if one of the ends contains all of it.
  [[nodiscard]] bool Copy(std::uint64_t offset, std::span<std::byte> into) const {
    return CopyFrom(head, 0, offset, into) || CopyFrom(tail, source.size - tail.size(), offset, into);
  }

  [[nodiscard]] Result<ReadSums> Read(std::span<const RangeRead> wanted, std::optional<Checksum> sum) const {
    std::vector<RangeRead> rest;
    std::vector<std::size_t> places;  // Of the rest, among the wanted.
    ReadSums sums(sum ? wanted.size() : 0);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!Copy(wanted[i].offset, wanted[i].into)) {
        rest.push_back(wanted[i]);
        places.push_back(i);
      } else if (sum) {
        sums[i] = ExtendChecksum(*sum, 0, wanted[i].into);
      }
    }
    if (!sum) {
      if (auto read = ReadAll(source, rest); !read) return read.error();
      return sums;
    }
    const auto read = ReadAllSummed(source, rest, *sum);
    if (!read) return read.error();
    for (std::size_t i = 0; i < places.size(); ++i) sums[places[i]] = (*read)[i];
    return sums;
  }

 private:
  static bool CopyFrom(const std::string& kept, std::uint64_t begin, std::uint64_t offset, std::span<std::byte> into) {
    if (offset < begin || offset - begin > kept.size() || into.size() > kept.size() - (offset - begin)) return false;
    if (!into.empty()) std::memcpy(into.data(), kept.data() + (offset - begin), into.size());
    return true;
  }
};

}  // namespace

Result<ByteSource> WithCachedEnds(ByteSource source, EndBytes ends) {
  const std::uint64_t size = source.size;
  const bool is_whole = size <= ends.head + ends.tail;
  std::string head(static_cast<std::size_t>(is_whole ? size : ends.head), '\0');
  std::string tail(static_cast<std::size_t>(is_whole ? 0 : ends.tail), '\0');
  std::vector<RangeRead> reads;
  for (std::string* end : {&head, &tail}) {
    const std::uint64_t begin = end == &head ? 0 : size - end->size();
    if (!end->empty()) reads.push_back({begin, std::as_writable_bytes(std::span(*end))});
  }
  if (auto read = ReadAll(source, reads); !read) return read.error();
  return WithKnownEnds(std::move(source), std::move(head), std::move(tail));
}

ByteSource WithKnownEnds(ByteSource source, std::string head, std::string tail) {
  const auto kept = std::make_shared<const Ends>(Ends{std::move(source), std::move(head), std::move(tail)});
  return ByteSource{.name = kept->source.name,
                    .size = kept->source.size,
                    .read_at = [kept](std::uint64_t offset, std::span<std::byte> into) -> Result<void> {
                      if (kept->Copy(offset, into)) return {};
                      return kept->source.read_at(offset, into);
                    },
                    .read_all = [kept](std::span<const RangeRead> wanted,
                                       std::optional<Checksum> sum) { return kept->Read(wanted, sum); },
                    .verify_whole = kept->source.verify_whole};
}

}  // namespace gcsflux::internal
