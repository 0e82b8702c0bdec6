# Writes OUTPUT, a C++ source that holds FILES (separated by '|') as EmbeddedCases(). Run by cmake -P at build time.
string(REPLACE "|" ";" files "${FILES}")
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND entries "    {\"${name}\", R\"gcsflux_case(${text})gcsflux_case\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"read_cases/embedded_cases.h\"

#include <array>

namespace gcsflux::conformance {
namespace {

constexpr CaseFile kFiles[] = {
${entries}};

}  // namespace

std::span<const CaseFile> EmbeddedCases() { return kFiles; }

}  // namespace gcsflux::conformance
")
