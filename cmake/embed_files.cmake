# Writes OUTPUT, a C++ source that holds FILES (separated by '|'): NAMESPACE::FUNCTION() returns a span of TYPE, each {name, text}.
# HEADER declares both. Run by cmake -P at build time.
string(REPLACE "|" ";" files "${FILES}")
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND entries "    {\"${name}\", R\"gcsflux_text(${text})gcsflux_text\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

namespace ${NAMESPACE} {
namespace {

constexpr ${TYPE} kFiles[] = {
${entries}};

}  // namespace

std::span<const ${TYPE}> ${FUNCTION}() { return kFiles; }

}  // namespace ${NAMESPACE}
")
