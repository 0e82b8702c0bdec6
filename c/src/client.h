#pragma once

#include <span>
#include <stop_token>

#include "gcsflux.h"
#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "gcsflux/listing.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"

struct gcsflux_stop {
  std::stop_source source;
};

namespace gcsflux::c {

/// All that options say.
struct Settings {
  ClientOptions client = {};
  DownloaderOptions downloads = {};
  UploadOptions uploads = {};
  ObjectReaderOptions reads = {};
  ParallelListOptions lists = {};
};

/// Of the flags of the command line, which the names are. Thread-safe.
Result<Settings> ReadSettings(std::span<const gcsflux_option> options);

inline std::stop_token TokenOf(const gcsflux_stop* stop) {
  return stop == nullptr ? std::stop_token() : stop->source.get_token();
}

/// 0 is the live object.
inline std::optional<std::int64_t> GenerationOf(std::int64_t generation) {
  return generation == 0 ? std::nullopt : std::optional(generation);
}

/// Of an object, not of a bucket.
Result<ObjectName> ObjectOf(const char* uri);

/// Adds what the caller of a write has said.
Result<UploadOptions> UploadOptionsOf(UploadOptions options, const gcsflux_write_options& given,
                                      const gcsflux_stop* stop);

}  // namespace gcsflux::c

struct gcsflux_client {
  gcsflux::Client client;
  gcsflux::c::Settings settings;
  gcsflux::Downloader downloader;
};
