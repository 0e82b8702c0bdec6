// DownloaderOptionsFromFlags.
#include "flags/transfer_flags.h"

#include <gflags/gflags.h>

#include "flags/flag_values.h"
#include "gcsflux/flags.h"

DEFINE_int32(max_concurrency, 16,
             "Most requests at a time of a download of many objects. Raise it until the network is full; each "
             "request holds a connection.");
DEFINE_bool(adapt_concurrency, false,
            "Finds the best number of concurrent requests of a download of many objects: it grows up to "
            "--max_concurrency while reads get faster. Set it, with a --max_concurrency of 256, if you do "
            "not know how many requests fill the network.");
DEFINE_int64(stripe_bytes, 16LL << 20,
             "Larger objects are downloaded as ranges of about this size at the same time; with 0, each "
             "object is read in one request. Lower it for few large objects over many connections. Raise it "
             "if the first byte of a request is slow.");
DEFINE_int64(max_undelivered_bytes, 256LL << 20,
             "Bytes of objects that all download streams of a client may fetch ahead of their consumers. "
             "Raise it to bridge a consumer's pauses. Lower it if memory is short.");
DEFINE_string(composition, "off",
              "Whether small objects are downloaded many at a time through temporary composites: off, on, or "
              "auto (if it is faster, the caller may compose, and the bucket's settings make it cost only "
              "requests). Set it to auto if objects are small. Set it to on for comparisons, or to fail if a "
              "permission is missing.");
DEFINE_int64(max_composite_bytes, 100'000'000,
             "Largest size of a composite; larger objects are downloaded alone. Lower it if memory is short.");
DEFINE_string(composition_kms_key_name, "",
              "The Cloud KMS key of composites. Set it to compose objects that this key encrypts, or in a bucket "
              "with a default key. Objects under another key are read directly.");
namespace gcsflux {

using internal::WrongFlag;

namespace {

constexpr internal::NamedValue<CompositionMode> kCompositionModes[] = {
    {"off", CompositionMode::kOff}, {"auto", CompositionMode::kAuto}, {"on", CompositionMode::kOn}};

Result<CompositionOptions> CompositionOptionsFromFlags() {
  const auto mode = internal::ValueNamed("composition", FLAGS_composition, kCompositionModes);
  if (!mode) return mode.error();
  if (FLAGS_max_composite_bytes < 0) return WrongFlag("flag --max_composite_bytes must not be negative");
  return CompositionOptions{.mode = *mode,
                            .max_composite_bytes = static_cast<std::uint64_t>(FLAGS_max_composite_bytes),
                            .kms_key_name = FLAGS_composition_kms_key_name};
}

}  // namespace

Result<void> internal::SetUndeliveredBytesFromFlags(ClientOptions& options) {
  if (FLAGS_max_undelivered_bytes < 0) return WrongFlag("flag --max_undelivered_bytes must not be negative");
  options.max_undelivered_bytes = static_cast<std::uint64_t>(FLAGS_max_undelivered_bytes);
  return {};
}

Result<DownloaderOptions> DownloaderOptionsFromFlags() {
  if (auto checked = internal::CheckFlag("max_concurrency", FLAGS_max_concurrency); !checked) return checked.error();
  if (FLAGS_stripe_bytes < 0) return WrongFlag("flag --stripe_bytes must not be negative");
  const auto composition = CompositionOptionsFromFlags();
  if (!composition) return composition.error();
  return DownloaderOptions{.max_concurrency = FLAGS_max_concurrency,
                           .adapts_concurrency = FLAGS_adapt_concurrency,
                           .stripe_bytes = static_cast<std::uint64_t>(FLAGS_stripe_bytes),
                           .composition = *composition};
}

}  // namespace gcsflux
