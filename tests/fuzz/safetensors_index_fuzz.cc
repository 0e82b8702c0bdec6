// model.safetensors.index.json: no file lies outside the index's folder, and an accepted index round-trips.

#include <string>

#include "format_input.h"
#include "gcsflux/checkpoints/safetensors.h"

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
  const auto written = FormatSafetensorsIndex(*index);
  Require(written.ok(), "what was read can be written");
  const auto again = ReadSafetensorsIndex(SourceOver(*written));
  Require(again.ok() && again->weight_map == index->weight_map, "what was written can be read");
  Require(again->total_size == index->total_size, "the total stays as it is");
}

}  // namespace
}  // namespace gcsflux::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::fuzz::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
