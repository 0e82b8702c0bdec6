#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/or_error.h"
#include "case/case.h"

namespace gcsflux::conformance {

/// What is known of an endpoint, so that a run shows what is not.
struct KnownDifference {
  enum class Kind {
    kFailure,  ///< The cases fail.
    kForm,     ///< The cases pass with differences of form.
    kCannot,   ///< The endpoint lacks the operations: cases with one of them are not applicable.
  };
  Kind kind = Kind::kFailure;
  std::string glob = {};  ///< Of names of cases; for kCannot of operations.
  std::string reason = {};
};

/// A profile: one that is built in ("gcs", "emulator", "testbench"), or a .json file.
OrError<std::vector<KnownDifference>> LoadProfile(const std::string& name_or_file);

/// The failures and differences of form of a report that --report=FILE.json wrote.
OrError<std::vector<KnownDifference>> LoadBaseline(const std::string& file);

/// The first of `known` of this kind that matches `name`; null if there is none.
const KnownDifference* Find(const std::vector<KnownDifference>& known, KnownDifference::Kind kind,
                            const std::string& name);

}  // namespace gcsflux::conformance
