// The JSON bodies of requests: any text is read or refused with 400.

#include "api/bucket_requests.h"
#include "input.h"
#include "json_api/resource_requests.h"

namespace gcsflux::emulator {
namespace {

template <class T>
void Check(const ApiResult<T>& parsed) {
  Require(parsed || parsed.error().status == 400, "a malformed body is 400");
}

}  // namespace
}  // namespace gcsflux::emulator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gcsflux::emulator;
  const std::string_view json = AsText(data, size);
  Check(ParseBucketResource(json, Time()));
  Check(ParseBucketPatch(json));
  Check(ParseBucketUpdate(json));
  Check(ParseObjectResource(json));
  Check(ParseObjectPatch(json));
  Check(ParseObjectUpdate(json));
  Check(ParseComposeResource(json));
  return 0;
}
