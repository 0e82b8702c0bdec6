#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "case/case.h"

namespace gcsflux::conformance {

/// The service under test.
struct Service {
  Transport& transport;
  std::string endpoint = {};  ///< "http://host:port", without a slash at the end.
  std::string project = {};
  bool has_access_token = false;
  /// Waits between attempts that the service throttled; tests pass one that returns at once.
  std::function<void(std::chrono::seconds)> sleep = {};
};

struct Outcome {
  enum class Kind { kPassed, kFailed, kSkipped };
  Kind kind = Kind::kPassed;
  std::string detail = {};    ///< Why it failed or was skipped.
  std::string leftover = {};  ///< Why `bucket` may still be there; empty when it is gone.
};

/// Runs one case in the bucket `bucket`, which nothing else uses, and removes that bucket with all that is in it.
///
/// A 429 that a step does not want is waited out a few times, since a throttled request has no effect: the service
/// allows about one write per second to a name, and one new bucket in two seconds.
Outcome RunCase(const Case& subject, const Service& service, const std::string& bucket);

}  // namespace gcsflux::conformance
