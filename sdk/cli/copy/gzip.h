#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// Which files are compressed while they are uploaded: --gzip_local and --gzip_local_all. By default none.
struct GzipRule {
  bool takes_all = false;
  std::vector<std::string> endings = {};  ///< ".txt".

  /// kInvalidArgument if both flags are given, or an extension is empty.
  static Result<GzipRule> FromFlags();
  [[nodiscard]] bool Takes(std::string_view path) const;
};

/// Compresses bytes to gzip data (RFC 1952) chunk by chunk. The same bytes give the same data. For one thread.
class Gzip {
 public:
  Gzip();
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  /// Compresses the next bytes into the sink. Fails as the sink does.
  Result<void> Write(std::span<const std::byte> data, const ByteSink& sink);
  /// Writes the end. Call it once, after all data.
  Result<void> Finish(const ByteSink& sink);

 private:
  struct Deflater;
  Result<void> Deflate(std::span<const std::byte> data, bool is_end, const ByteSink& sink);

  const std::unique_ptr<Deflater> deflater_;
};

}  // namespace gcsflux::cli
