#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/or_error.h"

namespace gcsflux::conformance {

/// What is wrong with an XPath 1.0 expression. Nothing if it is well formed.
std::optional<std::string> FindMalformedXPath(const std::string& expression);

/// The texts of the nodes that `expression` selects in the document, in its order, or the one value that it computes.
/// An error if `xml` is not an XML document.
///
/// Namespaces are ignored: elements are found by the names in the document, as most clients do.
OrError<std::vector<std::string>> Select(const std::string& xml, const std::string& expression);

}  // namespace gcsflux::conformance
