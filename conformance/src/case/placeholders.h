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
/// An undefined variable stays as it is written: UndefinedVariable() finds it when cases are read.
std::string Substitute(std::string_view text, const Variables& variables);

/// The same in every string of a JSON value. Keys are not changed.
Json SubstituteInside(const Json& value, const Variables& variables);

/// The first variable that `text`, or a string inside `value`, uses and that `defined` lacks. Empty if there is none.
std::string UndefinedVariable(std::string_view text, const std::set<std::string, std::less<>>& defined);
std::string UndefinedVariableInside(const Json& value, const std::set<std::string, std::less<>>& defined);

}  // namespace gcsflux::conformance
