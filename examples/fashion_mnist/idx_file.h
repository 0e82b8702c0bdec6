#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

/// Grey images of one size and what they show.
struct LabelledImages {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::uint8_t> labels = {};  ///< One per image.
  std::vector<std::uint8_t> pixels = {};  ///< Image after image, row after row.

  [[nodiscard]] std::span<const std::uint8_t> image(std::size_t index) const {
    return std::span(pixels).subspan(index * rows * columns, rows * columns);
  }
};

/// Reads the first `count` images of Fashion-MNIST's original files, `<split>-images-idx3-ubyte.gz` and
/// `<split>-labels-idx1-ubyte.gz`. Throws std::runtime_error that says what is wrong with which file.
LabelledImages ReadIdxFiles(const std::filesystem::path& folder, const std::string& split, std::size_t count);
