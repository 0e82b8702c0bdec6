#pragma once

#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>

#include <cstdint>
#include <string>

namespace gcsflux::emulator {

/// `text` as one gzip member.
inline std::string Gzip(std::string text) {
  std::string compressed(text.size() + text.size() / 8 + 1024, '\0');
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<std::uint8_t*>(text.data());
  stream.avail_in = static_cast<std::uint32_t>(text.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(compressed.data());
  stream.avail_out = static_cast<std::uint32_t>(compressed.size());
  EXPECT_EQ(isal_deflate_stateless(&stream), COMP_OK);
  compressed.resize(stream.total_out);
  return compressed;
}

}  // namespace gcsflux::emulator
