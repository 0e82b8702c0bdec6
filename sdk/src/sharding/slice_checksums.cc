#include "sharding/slice_checksums.h"

#include <algorithm>
#include <tuple>

#include "base/crc32c.h"
#include "base/message.h"
#include "formats/bytes/format_error.h"

namespace gcsflux::internal {
namespace {

// Combines the CRC32C of a slice from stretches that follow each other. Returns nothing if one is missing. They are
// sorted by their begins. If ranks with copies have read the same stretch, only one counts.
template <class Iterator>
std::optional<std::uint32_t> ChecksumOf(Iterator first, Iterator last, std::uint64_t size) {
  std::uint64_t at = 0;
  std::uint32_t crc32c = 0;
  for (; first != last && at < size; ++first) {
    if (first->begin > at) return std::nullopt;
    if (first->begin < at) continue;
    crc32c = CombineCrc32c(crc32c, first->crc32c, first->end - first->begin);
    at = first->end;
  }
  return at == size ? std::optional(crc32c) : std::nullopt;
}

}  // namespace

template <SameAs<ReadStretch> Self>
auto FieldsOf(Self& stretch) {
  return std::tie(stretch.tensor, stretch.begin, stretch.end, stretch.crc32c);
}

std::string FormatStretches(const std::vector<ReadStretch>& stretches) { return MessageWriter().Put(stretches).Take(); }

std::vector<ReadStretch> ParseStretches(std::string_view bytes) {
  MessageReader reader(bytes);
  std::vector<ReadStretch> stretches;
  reader.Take(stretches);
  if (!reader.AtEnd()) stretches.clear();
  return stretches;
}

Result<void> CheckStretches(const CheckpointManifest& manifest, std::vector<ReadStretch> stretches) {
  const auto order = [](const ReadStretch& stretch) { return std::tuple(stretch.tensor, stretch.begin, stretch.end); };
  std::ranges::sort(stretches, {}, order);
  for (auto first = stretches.begin(); first != stretches.end();) {
    const auto last = std::find_if(first, stretches.end(),
                                   [&](const ReadStretch& stretch) { return stretch.tensor != first->tensor; });
    if (first->tensor >= manifest.tensors.size()) break;
    const StepTensor& slice = manifest.tensors[first->tensor];
    const auto crc32c = ChecksumOf(first, last, slice.range.size());
    if (crc32c && slice.crc32c && *crc32c != *slice.crc32c) {
      return Error{ErrorCode::kCorrupted,
                   manifest.files[slice.file].name + ": the bytes of tensor " + Shown(slice.name) +
                       ", which several ranks read, do not have the CRC32C that the manifest says; load another step"};
    }
    first = last;
  }
  return {};
}

}  // namespace gcsflux::internal
