// DownloaderOptionsFromFlags.
#include <gflags/gflags.h>

#include "flags/flag_values.h"
#include "gcsflux/flags.h"

DEFINE_int32(max_concurrency, gcsflux::DownloaderOptions().max_concurrency,
             "Most requests at a time of a download of many objects. Raise it until the network is full; each "
             "request holds a connection.");
DEFINE_bool(adapt_concurrency, false,
            "Finds the best number of concurrent requests of a download of many objects: it grows up to "
            "--max_concurrency while reads get faster. Set it, with a --max_concurrency of 256, if you do "
            "not know how many requests fill the network.");
DEFINE_int64(range_bytes, gcsflux::internal::AsInt64(gcsflux::DownloaderOptions().range_bytes),
             "Larger objects are downloaded as ranges of about this size at the same time; with 0, each "
             "object is read in one request. Lower it for few large objects over many connections. Raise it "
             "if the first byte of a request is slow.");
DEFINE_int64(max_undelivered_bytes, gcsflux::internal::AsInt64(gcsflux::ClientOptions().max_undelivered_bytes),
             "Bytes of objects that all download streams of a client may fetch ahead of their consumers. "
             "Raise it to bridge a consumer's pauses. Lower it if memory is short.");
DEFINE_string(composition, "off",
              "Whether small objects are downloaded many at a time through temporary composites: off, on, or "
              "auto (if it is faster, the caller may compose, and the bucket's settings make it cost only "
              "requests). Set it to auto if objects are small. Set it to on for comparisons, or to fail if a "
              "permission is missing.");
DEFINE_int64(max_composite_bytes, gcsflux::internal::AsInt64(gcsflux::DownloaderOptions().max_composite_bytes),
             "Largest size of a composite; larger objects are downloaded alone. Lower it if memory is short.");
DEFINE_string(composition_kms_key_name, "",
              "The Cloud KMS key of composites. Set it to compose objects that this key encrypts, or in a bucket "
              "with a default key. Objects under another key are read directly.");

namespace gcsflux {
namespace {

constexpr internal::NamedValue<CompositionMode> kCompositionModes[] = {
    {"off", CompositionMode::kOff}, {"auto", CompositionMode::kAuto}, {"on", CompositionMode::kOn}};

}  // namespace

Result<DownloaderOptions> DownloaderOptionsFromFlags() {
  DownloaderOptions options;
  if (auto read = internal::ReadNamed("composition", options.composition, kCompositionModes); !read) {
    return read.error();
  }
  auto read = internal::ReadFlags({{"max_concurrency", &options.max_concurrency},
                                   {"adapt_concurrency", &options.adapts_concurrency},
                                   {"range_bytes", &options.range_bytes},
                                   {"max_composite_bytes", &options.max_composite_bytes},
                                   {"composition_kms_key_name", &options.composition_kms_key_name}});
  if (!read) return read.error();
  return options;
}

}  // namespace gcsflux
