#pragma once

#include <string>
#include <vector>

#include "retry_tests/scenario.h"
#include "retry_tests/sdk_call.h"

namespace gcsflux::conformance {

/// One case of a scenario for one call of the SDK.
struct Trial {
  std::string name = {};   ///< "1/storage.objects.get/GetObject[return-503,return-503]"
  std::string claim = {};  ///< The expected outcome, for people.
  std::string method = {};
  SdkCall call = {};             ///< Without functions if it is to be skipped.
  std::string why_skipped = {};  ///< Why it is skipped. Empty if it is to be run.
  RetryCase faults = {};
  bool with_object = false;
  bool with_precondition = false;
  bool trusts_tokens = false;
  bool expect_success = false;
  std::string expect_error = {};
  ExpectedEffect expect_effect = ExpectedEffect::kAny;
};

/// What the scenarios ask of the SDK: each case with each of its calls for each method. A method without a call is one
/// trial for each case, which is skipped and counted.
std::vector<Trial> MakeTrials(const std::vector<RetryScenario>& scenarios, std::span<const SdkCall> calls);

}  // namespace gcsflux::conformance
