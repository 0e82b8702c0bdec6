#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "case/case.h"

namespace gcsflux::conformance {

using Variables = std::map<std::string, std::string, std::less<>>;

/// `text` with each {name} replaced by that variable, and each {name|encoded} by the variable percent-encoded (all but
/// RFC 3986's unreserved characters). Braces around anything but a lower-case identifier are plain text.
///
/// A variable that is not defined stays as it is written: UndefinedVariable() finds those when cases are read.
std::string Substitute(std::string_view text, const Variables& variables);

/// The same in every string of a JSON value; keys are left alone.
Json SubstituteInside(const Json& value, const Variables& variables);

/// The first variable that `text`, or a string inside `value`, uses and `defined` lacks; empty where there is none.
std::string UndefinedVariable(std::string_view text, const std::set<std::string, std::less<>>& defined);
std::string UndefinedVariableInside(const Json& value, const std::set<std::string, std::less<>>& defined);

}  // namespace gcsflux::conformance
