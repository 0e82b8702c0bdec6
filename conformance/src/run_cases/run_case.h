#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "case/case.h"

namespace gcsflux::conformance {

/// The service under test.
struct Service {
  Transport& transport;
  std::string endpoint = {};  ///< "http://host:port", without a slash at the end.
  std::string project = {};
  bool has_access_token = false;
  /// Waits between attempts that the service throttled. Tests pass a function that returns at once.
  std::function<void(std::chrono::seconds)> sleep = {};
  /// Another connection, for requests at the same time. If it is empty, a step that needs one fails.
  std::function<std::unique_ptr<Transport>()> connect = {};
  /// Called before the requests of a case, and before those that clean up after it: each has its time.
  std::function<void()> begin_case = [] {};
  std::function<void()> begin_cleaning = [] {};
};

struct Outcome {
  enum class Kind { kPassed, kFailed, kSkipped };
  Kind kind = Kind::kPassed;
  std::string detail = {};             ///< Why it failed or was skipped.
  std::vector<std::string> form = {};  ///< What differs in form only. It does not change `kind`.
  Json expected = {};                  ///< The `want` of the step that failed, as the case has it.
  std::string leftover = {};           ///< Why `bucket` may still exist. Empty if it is deleted.
};

/// Runs one case in the bucket `bucket`, which nothing else uses, and removes that bucket with everything in it.
///
/// If a step does not want a 429, it is sent again a few times after a wait, because a throttled request has no effect:
/// the service allows about one write per second to a name, and one new bucket in two seconds.
Outcome RunCase(const Case& subject, const Service& service, const std::string& bucket);

}  // namespace gcsflux::conformance
