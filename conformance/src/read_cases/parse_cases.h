#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/or_error.h"
#include "case/case.h"

namespace gcsflux::conformance {

/// The need of a case that compares answers with and without the caller's credential.
inline constexpr std::string_view kNeedsAccessToken = "access_token";

/// All cases of one file. `file` is its name, such as "names.json": its stem begins each case's name.
///
/// If the file does not follow README.md's schema, all of it is refused. The error names file, case and field.
OrError<std::vector<Case>> ParseCases(std::string_view file, std::string_view text);

}  // namespace gcsflux::conformance
