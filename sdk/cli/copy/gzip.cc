#include "cli/copy/gzip.h"

#include <gflags/gflags.h>

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

DEFINE_string(gzip_local, "",
              "Compress uploads of files with these extensions (html,txt): Content-Encoding is gzip, and Cache-Control "
              "no-transform.");
DEFINE_bool(gzip_local_all, false, "Compress all uploads in this way.");

namespace gcsflux::cli {

Result<GzipRule> GzipRule::FromFlags() {
  GzipRule rule{.takes_all = FLAGS_gzip_local_all};
  if (rule.takes_all && !FLAGS_gzip_local.empty()) {
    return Error{ErrorCode::kInvalidArgument, "give either --gzip_local (-z) or --gzip_local_all (-Z)"};
  }
  for (std::string_view rest = FLAGS_gzip_local; !rest.empty();) {
    std::string_view extension = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(extension.size() + 1, rest.size()));
    extension.remove_prefix(std::min(extension.find_first_not_of(" ."), extension.size()));
    if (extension.empty()) {
      return Error{ErrorCode::kInvalidArgument, "flag --gzip_local: '" + FLAGS_gzip_local + "' has an empty extension"};
    }
    rule.endings.push_back("." + std::string(extension));
  }
  return rule;
}

bool GzipRule::Takes(std::string_view path) const {
  return takes_all || std::ranges::any_of(endings, [&](const std::string& ending) { return path.ends_with(ending); });
}

struct Gzip::Deflater {
  ~Deflater() { deflateEnd(&stream); }

  z_stream stream = {};
  std::array<std::byte, 64U << 10> buffer;
};

Gzip::Gzip() : deflater_(new Deflater) {
  constexpr int kGzipOfLargestWindow = 15 + 16;
  constexpr int kMemory = 8;  // zlib's default.
  if (deflateInit2(&deflater_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipOfLargestWindow, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

Gzip::~Gzip() = default;

Result<void> Gzip::Write(std::span<const std::byte> data, const ByteSink& sink) {
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  while (!data.empty()) {
    const auto part = data.first(std::min(data.size(), kMost));
    if (auto written = Deflate(part, /*is_end=*/false, sink); !written) return written;
    data = data.subspan(part.size());
  }
  return {};
}

Result<void> Gzip::Finish(const ByteSink& sink) { return Deflate({}, /*is_end=*/true, sink); }

Result<void> Gzip::Deflate(std::span<const std::byte> data, bool is_end, const ByteSink& sink) {
  z_stream& stream = deflater_->stream;
  const std::span<std::byte> buffer(deflater_->buffer);
  stream.next_in = reinterpret_cast<const Bytef*>(data.data());
  stream.avail_in = static_cast<uInt>(data.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    deflate(&stream, is_end ? Z_FINISH : Z_NO_FLUSH);
    const auto out = buffer.first(buffer.size() - stream.avail_out);
    if (out.empty()) continue;
    if (auto written = sink(out); !written) return written;
  } while (stream.avail_out == 0);
  return {};
}

}  // namespace gcsflux::cli
