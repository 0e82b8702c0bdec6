#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case/case.h"

namespace gcsflux::conformance {

/// The faults that the service has for the requests of a call.
struct RetryCase {
  std::vector<std::string> instructions =
      {};  ///< Instructions of the Retry Test API, for requests of the call's method.
  /// Our own field: rules of a fault plan (docs/emulator/faults.md), for faults without an instruction.
  Json faults = Json::array();
  /// The scenario's `serviceReplays`. Nothing leaves the service as it is.
  std::optional<bool> service_replays = {};
};

struct RetryMethod {
  std::string name = {};   ///< "storage.objects.get"
  std::string group = {};  ///< "storage.objects.download". If empty, all calls that the client has for the method.
  std::vector<std::string> resources = {};  ///< BUCKET, OBJECT and others: what exists before the call.
  std::vector<std::string> calls = {};      ///< Our own field: the SDK's calls to make. If empty, all.
};

/// Our own field: the effect that a failing call must have had.
enum class ExpectedEffect {
  kAny,
  kNone,  ///< Nothing has changed.
  kOnce,  ///< The effect of a success, exactly once.
};

/// Each case for each method, as Google's clients are tested: docs/emulator/retry_tests.md.
struct RetryScenario {
  std::string id = {};
  std::string description = {};
  std::vector<RetryCase> cases = {};
  std::vector<RetryMethod> methods = {};
  bool precondition_provided = false;
  /// Our own field: the client repeats all calls, because it trusts the service to recognise a repeated request by its
  /// token.
  bool trusts_tokens = false;
  /// Our own field: whether the service must, or must not, answer a repeated request with its first answer.
  std::optional<bool> service_replays = {};
  bool expect_success = false;
  std::string expect_error = {};  ///< Our own field: the name of the error's code. If empty, any code.
  ExpectedEffect expect_effect = ExpectedEffect::kAny;
};

}  // namespace gcsflux::conformance
