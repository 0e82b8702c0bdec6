#pragma once

#include <string>

#include "base/or_error.h"
#include "case/case.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// `subject` in a bucket that others use too: each object's name that it sends begins with `prefix`, which ends with a
/// '/' and holds no character that a target must encode, but for that '/'.
///
/// An error says why the case needs a bucket of its own: it sends something to the bucket itself, or names objects in a
/// way that is not understood here. So nothing outside of `prefix` is ever written.
OrError<Case> WithinPrefix(Case subject, const std::string& prefix);

/// Runs the case in the bucket `bucket`, and removes every object whose name begins with `prefix` afterwards. The case
/// sees names without `prefix`.
Outcome RunCaseWithinPrefix(const Case& subject, const Service& service, const std::string& bucket,
                            const std::string& prefix);

/// Why the cases cannot run in the bucket: it does not exist, or it keeps what is deleted (versioning, retention,
/// default holds). Empty if they can. Objects that are there are not touched.
std::string WhyUnsuitable(const Service& service, const std::string& bucket);

}  // namespace gcsflux::conformance
