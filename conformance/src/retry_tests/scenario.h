#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case/case.h"

namespace gcsflux::conformance {

/// What the service is told to do to the requests of a call.
struct RetryCase {
  std::vector<std::string> instructions = {};  ///< Of the Retry Test API, for requests of the call's method.
  /// Our own field: rules of a fault plan (docs/faults.md), for what no instruction can say.
  Json faults = Json::array();
  /// The scenario's `serviceReplays`; nothing: as the service is.
  std::optional<bool> service_replays = {};
};

struct RetryMethod {
  std::string name = {};   ///< "storage.objects.get"
  std::string group = {};  ///< "storage.objects.download"; empty: all that the client has for the method.
  std::vector<std::string> resources = {};  ///< BUCKET, OBJECT and others: what is there before the call.
  std::vector<std::string> calls = {};      ///< Our own field: the calls of the SDK that are meant; empty: all.
};

/// Our own field: what must have become of the call that fails.
enum class ExpectedEffect {
  kAny,
  kNone,  ///< All is as it was before.
  kOnce,  ///< What it was to do is done, once.
};

/// Each case for each method, as Google's clients are tested: docs/retry_tests.md.
struct RetryScenario {
  std::string id = {};
  std::string description = {};
  std::vector<RetryCase> cases = {};
  std::vector<RetryMethod> methods = {};
  bool precondition_provided = false;
  /// Our own field: the client repeats all calls, since it trusts the service to know a repeated request by its token.
  bool trusts_tokens = false;
  /// Our own field: the service has to, or may not, answer a repeated request with its first answer.
  std::optional<bool> service_replays = {};
  bool expect_success = false;
  std::string expect_error = {};  ///< Our own field: the name of the error's code; empty: any.
  ExpectedEffect expect_effect = ExpectedEffect::kAny;
};

}  // namespace gcsflux::conformance
