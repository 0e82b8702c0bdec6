// A request's method and target: what is decoded, encoded again, is the same target and leads to the same place.

#include <array>
#include <string>

#include "http/target.h"
#include "input.h"
#include "json_api/router.h"
#include "store/objects/names.h"

namespace gcsflux::emulator {
namespace {

std::string Encode(const Target& target) {
  std::string encoded;
  for (const std::string& segment : target.segments) encoded += '/' + EncodeSegment(segment);
  return encoded;
}

void Check(std::string_view raw) {
  const ApiResult<Target> target = ParseTarget(raw);
  if (!target) return Require(target.error().status == 400, "a malformed target is 400");
  Require(!target->segments.empty(), "a target has a segment, which may be empty");
  const ApiResult<Target> again = ParseTarget(Encode(*target));
  Require(again && again->segments == target->segments, "segments that are encoded are decoded alike");
  for (const std::string_view method : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "BREW"}) {
    const ApiResult<Route> route = FindRoute(method, target->segments);
    if (!route) {
      Require(route.error().status == 404 || route.error().status == 405, "no route is 404 or 405");
      continue;
    }
    Require(IsUtf8(route->bucket) && IsUtf8(route->object), "names are UTF-8");
  }
}

}  // namespace
}  // namespace gcsflux::emulator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::emulator::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
