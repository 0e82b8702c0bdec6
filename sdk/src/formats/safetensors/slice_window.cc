#include "formats/safetensors/slice_window.h"

#include <algorithm>
#include <cstring>

namespace gcsflux::internal {
namespace {

std::uint64_t Unsigned(std::int64_t number) { return static_cast<std::uint64_t>(number); }

/// The runs of a slice: bytes that follow each other in the slice and in the whole.
class Runs {
 public:
  explicit Runs(const SliceOfWhole& slice) : slice_(slice), outer_(slice.shape.size()) {
    // All dimensions behind the first one of a run are whole.
    std::uint64_t elements = 1;
    while (outer_ > 0) {
      const std::size_t dimension = --outer_;
      elements *= Unsigned(slice.shape[dimension]);
      if (slice.shape[dimension] != slice.whole_shape[dimension]) break;
    }
    length_ = elements * slice.element;
    for (std::size_t i = 0; i < outer_; ++i) count_ *= Unsigned(slice.shape[i]);
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t length() const { return length_; }

  // Where a run begins in the whole, in bytes.
  [[nodiscard]] std::uint64_t PlaceOf(std::uint64_t run) const {
    std::uint64_t place = 0;
    std::uint64_t stride = 1;
    for (std::size_t i = slice_.shape.size(); i-- > 0;) {
      std::uint64_t at = Unsigned(slice_.offsets[i]);
      if (i < outer_) {
        at += run % Unsigned(slice_.shape[i]);
        run /= Unsigned(slice_.shape[i]);
      }
      place += at * stride;
      stride *= Unsigned(slice_.whole_shape[i]);
    }
    return place * slice_.element;
  }

  // The bytes of the slice that lie before `end` in the whole.
  [[nodiscard]] std::uint64_t BytesBefore(std::uint64_t end) const {
    std::uint64_t low = 0;
    std::uint64_t high = count_;  // The first run that begins at `end` or behind it.
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (PlaceOf(middle) < end)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == 0) return 0;
    return (low - 1) * length_ + std::min(length_, end - PlaceOf(low - 1));
  }

 private:
  const SliceOfWhole& slice_;
  std::size_t outer_;  // Runs begin in the dimensions before this one.
  std::uint64_t length_ = 0;
  std::uint64_t count_ = 1;
};

}  // namespace

FileRange WindowOf(const SliceOfWhole& slice, FileRange wanted) {
  const Runs runs(slice);
  return {runs.BytesBefore(wanted.begin), runs.BytesBefore(wanted.end)};
}

void PlaceWindow(const SliceOfWhole& slice, FileRange window, std::span<const std::byte> bytes, FileRange wanted,
                 std::span<std::byte> into) {
  const Runs runs(slice);
  for (std::uint64_t at = window.begin; at < window.end;) {
    const std::uint64_t run = at / runs.length();
    const std::uint64_t skip = at % runs.length();
    const std::uint64_t length = std::min(window.end - at, runs.length() - skip);
    std::memcpy(into.data() + (runs.PlaceOf(run) + skip - wanted.begin), bytes.data() + (at - window.begin), length);
    at += length;
  }
}

}  // namespace gcsflux::internal
