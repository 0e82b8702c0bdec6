#include "formats/bytes/relative_path.h"

#include <algorithm>

namespace gcsflux::internal {

bool IsBelowFolder(std::string_view path) {
  for (const char byte : path) {
    if (byte == '\\' || static_cast<unsigned char>(byte) < ' ' || byte == '\x7F') return false;
  }
  for (;;) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == path.size()) return true;
    path.remove_prefix(end + 1);
  }
}

}  // namespace gcsflux::internal
