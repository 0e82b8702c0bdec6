#include "retry_tests/sdk_call.h"

namespace gcsflux::conformance {

std::vector<SdkCall> SdkCalls() {
  std::vector<SdkCall> all;
  for (const auto calls :
       {BucketCalls(), ObjectCalls(), DownloadCalls(), UploadCalls(), MultipartCalls(), StreamCalls()}) {
    all.insert(all.end(), calls.begin(), calls.end());
  }
  return all;
}

}  // namespace gcsflux::conformance
