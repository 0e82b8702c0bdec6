// fields=: an accepted mask selects something, and never more inside a field than the field itself.

#include <string>

#include "input.h"
#include "json_api/field_mask.h"

namespace gcsflux::emulator {
namespace {

void Check(std::string_view text) {
  const ApiResult<FieldMask> mask = FieldMask::Parse(text);
  if (!mask) return Require(mask.error().status == 400, "a malformed selection is 400");
  const std::string first(text.substr(0, text.find_first_of(",/()")));
  Require(!first.empty() && mask->Includes(first), "the first name is selected");
  for (const FieldMask* inside = &*mask; inside->Includes(first) && !inside->Includes("a field of no mask");) {
    inside = &inside->Inside(first);
  }
}

}  // namespace
}  // namespace gcsflux::emulator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::emulator::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
