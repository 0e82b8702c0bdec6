#include "gcsflux/listing.h"

#include <iterator>
#include <utility>

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

}  // namespace gcsflux
