#include "gcsflux/listing.h"

#include <iterator>
#include <memory>
#include <utility>

#include "base/fork.h"
#include "client/page_tokens.h"
#include "transfer/listing/parallel_listing.h"

namespace gcsflux {

Result<ObjectListing> ListPrefix(const Client& client, const ObjectName& prefix, const ListOptions& options) {
  ListObjectsOptions request{.prefix = prefix.name,
                             .delimiter = options.delimiter,
                             .fields = options.fields,
                             .call = options.call,
                             .stop = options.stop};
  ObjectListing listing;
  internal::PageTokens tokens;
  do {
    auto page = client.ListObjects(prefix.bucket, request);
    if (!page) return page.error();
    std::move(page->objects.begin(), page->objects.end(), std::back_inserter(listing.objects));
    std::move(page->prefixes.begin(), page->prefixes.end(), std::back_inserter(listing.prefixes));
    request.page_token = std::move(page->next_page_token);
    if (auto checked = tokens.Take(request.page_token); !checked) {
      return Error{checked.error().code, "LIST " + ToUri(prefix) + ": " + checked.error().message};
    }
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
  using internal::listing::ParallelListing;
  const auto listing =
      internal::BoundToProcess(std::make_unique<ParallelListing>(client, prefix, order, sink, options));
  return listing->Run();
}

Result<Listing> ListInParallel(const Client& client, const ObjectName& prefix, const ParallelListOptions& options) {
  std::vector<std::vector<ListedObject>> batches;
  const auto keep = [&](std::vector<ListedObject> objects) -> Result<void> {
    batches.push_back(std::move(objects));
    return {};
  };
  auto report = ListInParallel(client, prefix, ListingOrder::kByName, keep, options);
  if (!report) return report.error();
  Listing listing{.report = *std::move(report)};
  // Once all are counted: a vector that grows as they come holds memory for up to twice as many.
  listing.objects.reserve(static_cast<std::size_t>(listing.report.objects));
  for (auto& batch : batches) {
    std::move(batch.begin(), batch.end(), std::back_inserter(listing.objects));
    batch = {};
  }
  return listing;
}

}  // namespace gcsflux
