#include "base/read_file.h"

#include <array>
#include <fstream>

namespace gcsflux::conformance {

OrError<std::string> ReadFile(const std::filesystem::path& path) {
  constexpr std::size_t kMost = std::size_t{64} << 20;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 65536> piece;
  while (text.size() <= kMost && (file.read(piece.data(), piece.size()) || file.gcount() > 0)) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (text.empty()) return Failed(path.string() + ": cannot be read, or is empty");
  if (text.size() > kMost) return Failed(path.string() + ": is longer than 64 MiB");
  return text;
}

}  // namespace gcsflux::conformance
