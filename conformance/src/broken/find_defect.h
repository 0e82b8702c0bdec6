#pragma once

#include <string>
#include <vector>

#include "broken/defect.h"
#include "run_cases/suite.h"

namespace gcsflux::conformance {

/// Which cases notice a defect.
struct DefectFound {
  std::vector<std::string> seen_by = {};  ///< The first kEnough, in order.
  bool is_form_only = true;               ///< Each of them passed, with a difference of form.
  int fired = 0;                          ///< Requests or answers that the proxy changed.
  bool has_hung = false;                  ///< The run did not end within kMostTime.
};

inline constexpr std::size_t kEnough = 3;
/// For one defect. Without the limit a runner that waits for what never comes would be noticed by no test.
inline constexpr std::chrono::seconds kMostTime(60);

/// Runs those of `checks` that send an operation which the defect is about, through a proxy with the defect in front of
/// `endpoint`, until kEnough of them have noticed it. If `defect` is null, runs all of them, and `seen_by` has all that
/// do not pass.
DefectFound FindDefect(const Defect* defect, const std::vector<Check>& checks, const std::string& endpoint);

}  // namespace gcsflux::conformance
