#include "client/gunzip.h"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <string>

namespace gcsflux::internal {

struct Gunzip::Inflater {
  z_stream stream = {};
  std::array<std::byte, 64U << 10> buffer;
};

void Gunzip::InflaterDeleter::operator()(Inflater* inflater) const {
  inflateEnd(&inflater->stream);
  delete inflater;
}

Gunzip::Gunzip() : inflater_(new Inflater) {
  constexpr int kGzipOfAnyWindow = 15 + 16;
  if (inflateInit2(&inflater_->stream, kGzipOfAnyWindow) != Z_OK) throw std::bad_alloc();
}

Result<void> Gunzip::Write(std::span<const std::byte> data, const ByteSink& sink) {
  z_stream& stream = inflater_->stream;
  const std::span<std::byte> buffer(inflater_->buffer);
  // Output that waits for room comes with the next input: behind all output, a member has its checksum.
  while (!is_broken_ && !data.empty()) {
    const auto taken = std::min<std::size_t>(data.size(), std::numeric_limits<uInt>::max());
    if (is_at_end_) inflateReset(&stream);  // Another member follows.
    stream.next_in = reinterpret_cast<const Bytef*>(data.data());
    stream.avail_in = static_cast<uInt>(taken);
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    const int state = inflate(&stream, Z_NO_FLUSH);
    is_broken_ = state != Z_OK && state != Z_STREAM_END;
    is_at_end_ = state == Z_STREAM_END;
    data = data.subspan(taken - stream.avail_in);
    const auto out = buffer.first(buffer.size() - stream.avail_out);
    bytes_ += out.size();
    if (out.empty()) continue;
    if (auto handed_on = sink(out); !handed_on) return handed_on;
  }
  return {};
}

Result<void> Gunzip::Finish() const {
  const char* const why = is_broken_ ? "it is broken" : !is_at_end_ ? "it has no end" : nullptr;
  if (why == nullptr) return {};
  return Error{ErrorCode::kUndecodable,
               std::string("the object is stored with Content-Encoding: gzip, but is not gzip data: ") + why +
                   "; read it without ReadObjectOptions::decompress_gzip"};
}

}  // namespace gcsflux::internal
