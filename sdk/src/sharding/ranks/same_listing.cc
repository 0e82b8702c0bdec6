#include <string>
#include <utility>
#include <vector>

#include "base/object_name.h"
#include "sharding/ranks/message_group.h"

namespace gcsflux {
namespace {

std::string Described(const ListingFingerprint& listing) {
  return ToUri({listing.bucket, listing.prefix}) +
         (listing.is_partial ? "" : " with " + std::to_string(listing.count) + " objects");
}

bool IsSame(const ListingFingerprint& a, const ListingFingerprint& b) {
  const bool is_complete = !a.is_partial && !b.is_partial;
  return a.bucket == b.bucket && a.prefix == b.prefix && (!is_complete || (a.count == b.count && a.hash == b.hash));
}

Error ListingsDiffer(const std::string& first, const ListingFingerprint& of_first, const std::string& second,
                     const ListingFingerprint& of_second) {
  std::string text = "the ranks have different listings: " + first + " has " + Described(of_first) + ", and " + second +
                     " has " + Described(of_second);
  if (Described(of_first) == Described(of_second)) text += ", of which some have other names or generations";
  return {ErrorCode::kInvalidArgument, text + "; list on one rank and read that listing on all (ListThroughCache)"};
}

}  // namespace

Result<void> CheckSameListing(Collective& ranks, const ListingFingerprint& listing,
                              std::chrono::milliseconds deadline) {
  const auto texts = internal::MessagesOf(ranks).AllGather(FormatCursor({.listing = listing}), {.deadline = deadline});
  if (!texts) return texts.error();
  std::vector<ListingFingerprint> listings;
  for (const std::string& text : *texts) {
    auto cursor = ParseCursor(text);
    if (!cursor) return cursor.error();
    listings.push_back(std::move(cursor->listing));
  }
  for (std::size_t rank = 1; rank < listings.size(); ++rank) {
    if (IsSame(listings[0], listings[rank])) continue;
    return ListingsDiffer(ranks.Label(0), listings[0], ranks.Label(static_cast<int>(rank)), listings[rank]);
  }
  return {};
}

}  // namespace gcsflux
