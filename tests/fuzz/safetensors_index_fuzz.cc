// model.safetensors.index.json: no file lies outside of the index's folder.

#include <string>

#include "format_input.h"
#include "formats/safetensors/safetensors.h"

namespace gcsflux::fuzz {
namespace {

void Check(std::string_view text) {
  const auto index = ReadSafetensorsIndex(SourceOver(text));
  if (!index.ok()) return RequireRefusal(index.error());
  for (const std::string& file : index->Files()) {
    const std::string path = "/" + file + "/";
    const bool is_inside =
        path.find("/../") == path.npos && path.find("//") == path.npos && path.find('\\') == path.npos;
    Require(is_inside, "a file lies in the index's folder");
  }
}

}  // namespace
}  // namespace gcsflux::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::fuzz::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
