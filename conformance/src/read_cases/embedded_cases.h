#pragma once

#include <span>
#include <string_view>

namespace gcsflux::conformance {

struct CaseFile {
  std::string_view name;  ///< "names.json"
  std::string_view text;
};

/// The files of conformance/cases at the time of the build, ordered by name.
std::span<const CaseFile> EmbeddedCases();

/// The files of conformance/profiles, likewise.
std::span<const CaseFile> EmbeddedProfiles();

}  // namespace gcsflux::conformance
