#include "gcsflux/listing.h"

#include <iterator>
#include <utility>

#include "transfer/listing/parallel_listing.h"

namespace gcsflux {

Result<ObjectListing> ListPrefix(const Client& client, const ObjectName& prefix, const ListOptions& options) {
  ListObjectsOptions request{.prefix = prefix.name,
                             .delimiter = options.delimiter,
                             .fields = options.fields,
                             .call = options.call,
                             .stop = options.stop};
  ObjectListing listing;
  do {
    auto page = client.ListObjects(prefix.bucket, request);
    if (!page) return page.error();
    std::move(page->objects.begin(), page->objects.end(), std::back_inserter(listing.objects));
    std::move(page->prefixes.begin(), page->prefixes.end(), std::back_inserter(listing.prefixes));
    request.page_token = std::move(page->next_page_token);
  } while (!request.page_token.empty());
  return listing;
}

Result<ListingReport> ListInParallel(const Client& client, const ObjectName& prefix, ListingOrder order,
                                     const ListingSink& sink, const ParallelListOptions& options) {
  if (!sink) return Error{ErrorCode::kInvalidArgument, "LIST " + ToUri(prefix) + ": the sink is empty"};
  if (options.parallelism < 1 || !(options.call_cap >= 1)) {
    return Error{ErrorCode::kInvalidArgument,
                 "LIST " + ToUri(prefix) + ": ParallelListOptions::parallelism and call_cap must be at least 1"};
  }
  return internal::listing::ParallelListing(client, prefix, order, sink, options).Run();
}

Result<Listing> ListInParallel(const Client& client, const ObjectName& prefix, const ParallelListOptions& options) {
  Listing listing;
  const auto append = [&](std::vector<ListedObject> objects) -> Result<void> {
    std::move(objects.begin(), objects.end(), std::back_inserter(listing.objects));
    return {};
  };
  auto report = ListInParallel(client, prefix, ListingOrder::kByName, append, options);
  if (!report) return report.error();
  listing.report = *std::move(report);
  return listing;
}

}  // namespace gcsflux
