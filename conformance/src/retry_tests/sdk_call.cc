#include "retry_tests/sdk_call.h"

namespace gcsflux::conformance {

std::string NothingToCheck(const Service& /*service*/, const Scene& /*scene*/) { return ""; }

std::string CheckWhole(const Service& /*service*/, const Scene& scene) { return WhyNotReceived(scene, ObjectBytes()); }

std::string CheckStored(const Service& service, const Scene& scene) {
  return WhyNotStoredOnce(service, scene.new_object, UploadBytes());
}

Error Unexpected(const std::string& what) { return {.code = ErrorCode::kBadResponse, .message = what}; }

std::vector<SdkCall> SdkCalls() {
  std::vector<SdkCall> all;
  for (const auto calls :
       {BucketCalls(), ObjectCalls(), DownloadCalls(), UploadCalls(), StreamCalls(), TrainingCalls()}) {
    all.insert(all.end(), calls.begin(), calls.end());
  }
  return all;
}

}  // namespace gcsflux::conformance
