#include "base/read_file.h"

#include <fstream>
#include <sstream>

namespace gcsflux::conformance {

OrError<std::string> ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return Failed(path.string() + ": cannot be read, or is empty");
  return text.str();
}

}  // namespace gcsflux::conformance
