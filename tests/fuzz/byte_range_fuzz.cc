// Range: for any text, the bytes lie within the object. The input's first eight bytes are the object's size.

#include <cstring>

#include "http/byte_range.h"
#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t object_size = 0;
  if (size < sizeof object_size) return 0;
  std::memcpy(&object_size, data, sizeof object_size);
  const std::string_view header = gcsflux::emulator::AsText(data + sizeof object_size, size - sizeof object_size);
  const gcsflux::emulator::RangeRequest range = gcsflux::emulator::ParseRange(header, object_size);
  if (range.kind != gcsflux::emulator::RangeRequest::Kind::kPart) return 0;
  gcsflux::emulator::Require(range.length > 0, "a part is not empty");
  gcsflux::emulator::Require(range.offset < object_size && range.length <= object_size - range.offset,
                             "a part lies within the object");
  return 0;
}
