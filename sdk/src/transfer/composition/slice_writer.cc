#include "transfer/composition/slice_writer.h"

#include <algorithm>
#include <cstring>

#include "base/crc32c.h"

namespace gcsflux::internal {

Result<void> SliceWriter::Write(std::span<const std::byte> data) {
  while (true) {
    if (auto complete = CompleteSlices(); !complete) return complete;
    if (data.empty()) return {};
    if (slice_ == sources_.size()) {
      return Error{ErrorCode::kCorrupted, "the composite holds more bytes than its sources"};
    }
    const auto place = destinations_[slice_].Open();
    if (!place) return place.error();
    const std::span<std::byte> buffer = place->subspan(written_);
    const std::size_t taken = std::min(buffer.size(), data.size());
    std::memcpy(buffer.data(), data.data(), taken);
    crc32c_ = ExtendCrc32c(crc32c_, data.first(taken));  // While the bytes are in the cache.
    written_ += taken;
    data = data.subspan(taken);
  }
}

// Skips slices that are full, also empty ones.
Result<void> SliceWriter::CompleteSlices() {
  while (slice_ < sources_.size() && written_ == sources_[slice_].size) {
    const DownloadSource& source = sources_[slice_];
    if (source.crc32c && *source.crc32c != crc32c_) {
      return Error{ErrorCode::kCorrupted,
                   ToUri(source.object) + ": its bytes, as they came with a composite, have another CRC32C"};
    }
    ++slice_;
    written_ = 0;
    crc32c_ = 0;
  }
  return {};
}

Result<void> SliceWriter::Finish() {
  if (auto complete = CompleteSlices(); !complete) return complete;
  if (slice_ == sources_.size()) return {};
  return Error{ErrorCode::kCorrupted, "the composite holds fewer bytes than its sources"};
}

}  // namespace gcsflux::internal
