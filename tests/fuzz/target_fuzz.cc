// A request's method and target: a decoded target, encoded again, is the same and has the same route.

#include <array>
#include <string>

#include "http/target.h"
#include "input.h"
#include "json_api/router.h"
#include "store/objects/names.h"

namespace gcsflux::emulator {
namespace {

// Rows of every form that the table of operations has.
constexpr auto kRows = std::to_array<JsonOperation>({
    {{.request = "GET /storage/v1/b", .needs = {}}, nullptr},
    {{.request = "PATCH /storage/v1/b/{bucket}", .needs = {}}, nullptr},
    {{.request = "GET /storage/v1/b/{bucket}/o/{object}", .needs = {}}, nullptr},
    {{.request = "GET /download/storage/v1/b/{bucket}/o/{object}", .needs = {}}, nullptr},
    {{.request = "POST /storage/v1/b/{source_bucket}/o/{source_object}/copyTo/b/{bucket}/o/{object}", .needs = {}},
     nullptr},
    {{.request = "POST /upload/storage/v1/b/{bucket}/o", .transfer = Transfer::kInsert, .needs = {}}, nullptr},
    {{.request = "PUT /upload/storage/v1/b/{bucket}/o", .transfer = Transfer::kSession, .needs = {}}, nullptr},
});

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
    const ApiResult<Route> route = FindRoute(kRows, method, *target);
    if (const auto unserved = FindUnservedMethod(method, target->segments)) {
      Require(IsUtf8(unserved->bucket) && IsUtf8(unserved->object), "names of what is not served are UTF-8");
    }
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
