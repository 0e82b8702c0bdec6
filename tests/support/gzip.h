#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace gcsflux::testing {

/// One member of gzip data.
inline std::string Gzip(std::string_view text) {
  z_stream stream = {};
  constexpr int kGzip = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  std::string data(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(data.data());
  stream.avail_out = static_cast<uInt>(data.size());
  const bool is_done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  data.resize(data.size() - stream.avail_out);
  deflateEnd(&stream);
  if (!is_done) throw std::runtime_error("deflate");
  return data;
}

}  // namespace gcsflux::testing
