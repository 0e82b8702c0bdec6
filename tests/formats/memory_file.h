#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gcsflux/formats.h"

namespace gcsflux::formats_tests {

inline std::span<const std::byte> BytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

/// `text` must outlive the source.
inline ByteSource SourceOver(std::string_view text) { return SourceOf("test.pt", BytesOf(text)); }

/// Counts the reads of another source.
struct CountedSource {
  explicit CountedSource(const ByteSource& source) {
    counted = {.name = source.name,
               .size = source.size,
               .read_at = [this, read = source.read_at](std::uint64_t offset, std::span<std::byte> into) {
                 ++reads;
                 bytes += into.size();
                 return read(offset, into);
               }};
  }
  CountedSource(const CountedSource&) = delete;

  ByteSource counted;
  int reads = 0;
  std::uint64_t bytes = 0;
};

inline ByteSink SinkInto(std::string& text) {
  return [&text](std::span<const std::byte> bytes) -> Result<void> {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
}

/// Replaces the bytes at `at`.
inline std::string Patched(std::string text, std::size_t at, std::string_view bytes) {
  std::copy(bytes.begin(), bytes.end(), text.begin() + static_cast<std::ptrdiff_t>(at));
  return text;
}

/// A number of `bytes` bytes, little-endian.
inline std::string Number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  return text;
}

/// The error is one of those allowed for bad bytes, and names the file.
inline void ExpectRefused(const Error& error, const std::string& label) {
  EXPECT_TRUE(error.code == ErrorCode::kUndecodable || error.code == ErrorCode::kCorrupted) << label << error.message;
  EXPECT_NE(error.message.find("test.pt"), std::string::npos) << label << ": " << error.message;
}

}  // namespace gcsflux::formats_tests
