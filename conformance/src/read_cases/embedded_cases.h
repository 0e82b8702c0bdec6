#pragma once

#include <span>
#include <string_view>

namespace gcsflux::conformance {

struct CaseFile {
  std::string_view name;  ///< "names.json"
  std::string_view text;
};

/// The files of conformance/cases as they were when the program was built, ordered by name.
std::span<const CaseFile> EmbeddedCases();

}  // namespace gcsflux::conformance
