// Page tokens: no other text is accepted, and each position round-trips through its own token.

#include "api/page_token.h"
#include "input.h"
#include "store/objects/names.h"

namespace gcsflux::emulator {
namespace {

std::string_view Value(const ListPosition& position) { return position.text; }

void Check(std::string_view text) {
  if (const std::optional<ListPosition> position = DecodePageToken(text)) {
    Require(IsUtf8(Value(*position)), "a token that is understood names UTF-8");
    const std::string token = EncodePageToken(*position);
    const std::optional<ListPosition> again = DecodePageToken(token);
    Require(again && EncodePageToken(*again) == token, "a position comes back from its token");
  }
}

}  // namespace
}  // namespace gcsflux::emulator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::emulator::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
