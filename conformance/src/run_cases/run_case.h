#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "case/case.h"
#include "run_cases/case_transport.h"

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
  /// Whether the service meets a need of a case; asked once for each need. If it is empty, each case asks the service.
  std::function<bool(const std::string& need)> meets = {};
  /// The bucket is there already, and stays: within_prefix.h.
  bool is_bucket_shared = false;
};

/// Whether the service meets the need: it asks the service, if the need is a target.
bool MeetsNeed(const std::string& need, const Service& service);

struct Outcome {
  enum class Kind { kPassed, kFailed, kSkipped };
  Kind kind = Kind::kPassed;
  std::string detail = {};               ///< Why it failed or was skipped.
  std::string not_applicable = {};       ///< If skipped: the capability that the service lacks.
  bool was_not_reached = false;          ///< If skipped: the run was cut short before it.
  bool is_unprepared = false;            ///< If failed: no step was run, because the bucket could not be made.
  std::vector<std::string> form = {};    ///< What differs in form only. It does not change `kind`.
  Json expected = {};                    ///< The `want` of the step that failed, as the case has it.
  std::vector<Exchange> exchanges = {};  ///< If it failed or differs in form; RunSuite() adds them.
  std::string known = {};                ///< Why it is known to fail, whether it did or not. RunSuite() adds it.
  bool is_form_known = false;
  std::string leftover = {};  ///< Why `bucket` may still exist. Empty if it is deleted.
};

/// Runs one case in the bucket `bucket`, which nothing else uses, and removes that bucket with everything in it.
///
/// If a step does not want a 429, it is sent again a few times after a wait, because a throttled request has no effect:
/// the service allows about one write per second to a name, and one new bucket in two seconds.
/// A need that is not met makes the case not applicable.
Outcome RunCase(const Case& subject, const Service& service, const std::string& bucket);

}  // namespace gcsflux::conformance
