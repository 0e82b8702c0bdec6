#include "gcsflux/listing.h"

#include <iterator>
#include <memory>
#include <utility>

#include "base/exceptions_as_errors.h"
#include "base/option_range.h"
#include "base/process/owner_process.h"
#include "client/client_core.h"
#include "transfer/listing/parallel_listing.h"
#include "wire/listed_names.h"
#include "wire/page_tokens.h"

namespace gcsflux {
namespace {

// With versions, a name comes once for each of its generations.
Result<void> CheckFollows(const ObjectMetadata& object, const ObjectMetadata& before, bool versions) {
  if (versions && object.name == before.name && object.generation > before.generation) return {};
  return internal::CheckIsBehind(object.name, before.name);
}

// Appends the page, if its names follow those of the pages before.
Result<void> Append(ObjectListing page, bool versions, ObjectListing& listing) {
  listing.objects.reserve(listing.objects.size() + page.objects.size());
  for (ObjectMetadata& object : page.objects) {
    if (!listing.objects.empty()) {
      if (auto checked = CheckFollows(object, listing.objects.back(), versions); !checked) return checked;
    }
    listing.objects.push_back(std::move(object));
  }
  for (std::string& prefix : page.prefixes) {
    if (!listing.prefixes.empty()) {
      if (auto checked = internal::CheckIsBehind(prefix, listing.prefixes.back()); !checked) return checked;
    }
    listing.prefixes.push_back(std::move(prefix));
  }
  return {};
}

}  // namespace

Result<ObjectListing> ListPrefix(const Client& client, const ObjectName& prefix, const ListOptions& options) {
  ListOptions request = options;
  const auto refuse = [&](const Error& error) {
    return Error{error.code, "LIST " + ToUri(prefix) + ": " + error.message};
  };
  ObjectListing listing;
  internal::PageTokens tokens;
  do {
    auto page = client.ListObjects(prefix, request);
    if (!page) return page.error();
    request.page_token = std::move(page->next_page_token);
    // Between names that a pattern matches there may be any number of others.
    const bool is_barren = page->objects.empty() && page->prefixes.empty() && request.match_glob.empty();
    if (auto appended = Append(*std::move(page), request.versions, listing); !appended) return refuse(appended.error());
    if (auto checked = tokens.Take(request.page_token, is_barren); !checked) return refuse(checked.error());
  } while (!request.page_token.empty());
  return listing;
}

Result<Listing> ListInParallel(const Client& client, const ObjectName& prefix, DeliveryOrder order,
                               const ListingSink& sink, const ParallelListOptions& options) {
  if (!sink) return Error{ErrorCode::kInvalidArgument, "LIST " + ToUri(prefix) + ": the sink is empty"};
  const std::string list = "LIST " + ToUri(prefix) + ": ";
  if (auto checked = internal::CheckRanges({{list + "ParallelListOptions::max_concurrency",
                                             internal::RangeOf("list_max_concurrency"), options.max_concurrency}});
      !checked)
    return checked.error();
  if (!(options.call_cap >= 1)) {
    return Error{ErrorCode::kInvalidArgument, list + "ParallelListOptions::call_cap must be at least 1"};
  }
  using internal::listing::ParallelListing;
  // In milliseconds, as it is saved, so that the process that lists has the same time as those that load the listing.
  const auto time = std::chrono::floor<std::chrono::milliseconds>(CoreOf(client).timing().SystemNow());
  return internal::ExceptionsAsErrors([&] {
    const auto run = internal::OwnedByProcess(std::make_unique<ParallelListing>(client, prefix, order, sink, options));
    auto listing = run->Run();
    if (listing) listing->time = time;
    return listing;
  });
}

Result<Listing> ListInParallel(const Client& client, const ObjectName& prefix, const ParallelListOptions& options) {
  std::vector<std::vector<ListedObject>> batches;
  const auto keep = [&](std::vector<ListedObject> objects) -> Result<void> {
    batches.push_back(std::move(objects));
    return {};
  };
  auto listing = ListInParallel(client, prefix, DeliveryOrder::kInOrder, keep, options);
  if (!listing) return listing;
  return internal::ExceptionsAsErrors([&] {
    // After all are counted: a vector that grows would hold memory for up to twice as many.
    listing->objects.reserve(static_cast<std::size_t>(listing->object_count));
    for (auto& batch : batches) {
      std::move(batch.begin(), batch.end(), std::back_inserter(listing->objects));
      batch = {};
    }
    return std::move(listing);
  });
}

}  // namespace gcsflux
