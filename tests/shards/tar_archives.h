#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/tar/tar_header.h"
#include "formats/tar/tar_parser.h"

namespace gcsflux::testing {

inline std::span<const std::byte> BytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

struct TarFile {
  std::string name;
  std::string content;
};

inline std::string TarFileOf(const TarFile& file) {
  std::string tar = internal::WriteTarHeader(file.name, file.content.size(), 1'700'000'000) + file.content;
  tar.resize(internal::TarPadded(tar.size()), '\0');
  return tar;
}

inline const std::string& TarEnd() {
  static const std::string& end = *new std::string(2 * internal::kTarBlock, '\0');
  return end;
}

inline std::string TarOf(const std::vector<TarFile>& files) {
  std::string tar;
  for (const TarFile& file : files) tar += TarFileOf(file);
  return tar + TarEnd();
}

/// The header block in `tar` at `offset` gets these bytes at `place`, and a checksum that fits.
inline void Patch(std::string& tar, std::size_t offset, std::size_t place, std::string_view bytes) {
  tar.replace(offset + place, bytes.size(), bytes);
  tar.replace(offset + 148, 8, 8, ' ');
  unsigned sum = 0;
  for (std::size_t i = 0; i < internal::kTarBlock; ++i) sum += static_cast<unsigned char>(tar[offset + i]);
  char digits[8] = {};
  static_cast<void>(std::snprintf(digits, sizeof digits, "%06o", sum));
  tar.replace(offset + 148, 7, std::string(digits, 7));
}

}  // namespace gcsflux::testing
