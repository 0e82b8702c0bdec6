// ListByFlags. Programs that do not call it do not have its flags.
#include <gflags/gflags.h>

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

Result<Listing> ListByFlags(const Client& client, const ObjectName& prefix, const ParallelListOptions& options) {
  ListingCacheOptions cached{.listing = options, .call = options.call, .stop = options.stop};
  auto read = internal::ReadFlags({{"listing_max_age_s", &cached.max_age.emplace()}});
  if (!read) return read.error();
  if (FLAGS_listing_cache.empty()) return ListInParallel(client, prefix, options);
  const auto cache = ParseUri(FLAGS_listing_cache);
  if (!cache) return internal::WrongFlag("flag --listing_cache: " + cache.error().message);
  return ListThroughCache(client, prefix, *cache, cached);
}

}  // namespace gcsflux
