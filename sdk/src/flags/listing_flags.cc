// ListByFlags. Programs that do not call it do not have its flags.
#include <gflags/gflags.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "flags/flag_values.h"
#include "gcsflux/flags.h"

DEFINE_string(listing_cache, "",
              "Object that stores the listing, as gs://bucket/name: the first process lists and saves it; "
              "other and later processes read it. Set it if many processes or many runs use the same objects; "
              "if empty, each process lists.");
DEFINE_double(listing_max_age_s, 86400,
              "An older saved listing is replaced by a new one. Lower it if objects are added or overwritten; "
              "raise it if they never are.");

namespace gcsflux {

Result<CachedListing> ListByFlags(const Client& client, const ObjectName& prefix, const ParallelListOptions& options) {
  const auto max_age = internal::MillisecondsOfFlag("listing_max_age_s", FLAGS_listing_max_age_s, 0);
  if (!max_age) return max_age.error();
  if (FLAGS_listing_cache.empty()) {
    const auto time = std::chrono::system_clock::now();
    auto listing = ListInParallel(client, prefix, options);
    if (!listing) return listing.error();
    return CachedListing{.snapshot = {.prefix = prefix, .time = time, .objects = std::move(listing->objects)}};
  }
  const auto cache = ParseUri(FLAGS_listing_cache);
  if (!cache) return internal::WrongFlag("flag --listing_cache: " + cache.error().message);
  return ListThroughCache(client, prefix, *cache,
                          {.max_age = std::chrono::duration_cast<std::chrono::seconds>(*max_age),
                           .listing = options,
                           .call = options.call,
                           .stop = options.stop});
}

}  // namespace gcsflux
