#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gcsflux {

/// PNG's header.
struct PngHeader {
  unsigned int width = 1;
  unsigned int height = 1;
  int depth = 8;
  int colours = 0;  ///< 0: grey, 2: RGB, 3: palette, 6: RGBA.
  bool is_interlaced = false;
};

/// A PNG file with these chunks between its header and its pixels, which are rows with their filters.
std::vector<std::byte> PngFile(const PngHeader& header, const std::vector<std::pair<std::string, std::string>>& chunks,
                               const std::string& pixels);

}  // namespace gcsflux
