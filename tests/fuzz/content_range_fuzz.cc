// Content-Range: an accepted text does not contradict itself, and round-trips.

#include <string>

#include "http/content_range.h"
#include "input.h"

namespace gcsflux::emulator {
namespace {

std::string Write(const ContentRange& range) {
  std::string text = "bytes *";
  if (range.bytes) {
    text = "bytes " + std::to_string(range.bytes->first) + '-';
    text += range.bytes->last ? std::to_string(*range.bytes->last) : "*";
  }
  return text + '/' + (range.total ? std::to_string(*range.total) : "*");
}

void Check(std::string_view header) {
  const std::optional<ContentRange> range = ParseContentRange(header);
  if (!range) return;
  if (range->bytes && range->bytes->last) {
    Require(range->bytes->first <= *range->bytes->last, "a range does not end before it begins");
    Require(!range->total || *range->bytes->last < *range->total, "a range ends before the total");
  }
  const std::optional<ContentRange> again = ParseContentRange(Write(*range));
  Require(again && Write(*again) == Write(*range), "a range that is written is read alike");
}

}  // namespace
}  // namespace gcsflux::emulator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::emulator::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
