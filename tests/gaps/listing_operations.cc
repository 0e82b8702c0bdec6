// Listings of several pages, saved ones, and pages of buckets.
#include <gtest/gtest.h>

#include <algorithm>

#include "gaps/gap_operation.h"
#include "gcsflux/listing.h"
#include "support/result.h"

namespace gcsflux::testing {
namespace {

constexpr auto kCacheName = "cache";
const ObjectName kCacheObject{kGapBucket, kCacheName};
const ObjectName kManyPrefix{kManyBucket, ""};
// Before the first and after the last of the bucket's own names.
const std::vector<std::string> kRivalNames = {"!rival", "~rival"};

// All that exist from the start to the end, each once, in order.
template <class Object>
void ExpectAllOfMany(const std::vector<Object>& objects) {
  const auto by_name = [](const Object& a, const Object& b) { return a.name < b.name; };
  EXPECT_TRUE(std::ranges::is_sorted(objects, by_name));
  const auto of_rival = std::ranges::count_if(
      objects, [](const Object& object) { return std::ranges::count(kRivalNames, object.name) > 0; });
  EXPECT_EQ(objects.size() - static_cast<std::size_t>(of_rival), kManyObjects);
  EXPECT_TRUE(std::ranges::adjacent_find(objects, {}, &Object::name) == objects.end());
}

void ChangeMany(GapWorld& world) {
  for (const std::string& name : kRivalNames) {
    EXPECT_TRUE(world.rival().InsertObject({kManyBucket, name}, AsBytes("a rival's")).ok());
  }
}

GapOperation OfMany(std::string name,
                    std::function<Result<void>(GapWorld&, const Client&, const std::stop_token&)> run) {
  return {.name = std::move(name),
          .prepare = ChangeMany,
          .run = std::move(run),
          .overwrite = ChangeMany,
          .remove =
              [](GapWorld& world) {
                for (const std::string& rival : kRivalNames) {
                  EXPECT_TRUE(world.rival().DeleteObject({kManyBucket, rival}).ok());
                }
              },
          .survives_overwriting = true};
}

GapOperation Pages() {
  return OfMany("ListPrefix", [](GapWorld&, const Client& client, const std::stop_token& stop) {
    const auto listing = ListPrefix(client, kManyPrefix, {.stop = stop});
    if (listing) ExpectAllOfMany(listing->objects);
    return WithoutValue(listing);
  });
}

GapOperation Ranges() {
  GapOperation ranges = OfMany("ListInParallel", [](GapWorld&, const Client& client, const std::stop_token& stop) {
    const auto listing =
        ListInParallel(client, kManyPrefix, {.max_concurrency = 2, .split_points = {"4", "8", "c"}, .stop = stop});
    if (listing) ExpectAllOfMany(listing->objects);
    return WithoutValue(listing);
  });
  ranges.loses_only = "storage.objects.list";
  return ranges;
}

// The rival stores something of its own under the cache's name, or deletes the cache.
GapOperation Cache() {
  GapOperation cache = OfMany("ListThroughCache", [](GapWorld&, const Client& client, const std::stop_token& stop) {
    const auto listing =
        ListThroughCache(client, kManyPrefix, kCacheObject, {.listing = {.max_concurrency = 1}, .stop = stop});
    if (listing) ExpectAllOfMany(listing->objects);
    return WithoutValue(listing);
  });
  cache.overwrite = [](GapWorld& world) { world.PutForeign(kCacheName, "no listing"); };
  cache.remove = [](GapWorld& world) { world.Delete(kCacheName); };
  cache.errors = {ErrorCode::kInvalidArgument};
  cache.survives_overwriting = false;
  return cache;
}

Listing SnapshotOf(char of) {
  Listing snapshot{.prefix = {kGapBucket, "p/"}};
  for (int i = 0; i < 1000; ++i) {
    snapshot.objects.push_back({.name = "p/" + std::to_string(1000 + i) + of, .size = 1, .generation = 1});
  }
  return snapshot;
}

GapOperation Saved() {
  const auto save = [](GapWorld& world, char of) {
    EXPECT_TRUE(SaveListing(world.rival(), kCacheObject, SnapshotOf(of)).ok());
  };
  return {.name = "LoadListing",
          .prepare = [save](GapWorld& world) { save(world, 'a'); },
          .run = [](GapWorld&, const Client& client, const std::stop_token& stop) -> Result<void> {
            const auto loaded = LoadListing(client, kCacheObject, {.stop = stop});
            if (!loaded) return loaded.error();
            EXPECT_EQ(loaded->objects.size(), 1000U);
            for (const ListedObject& object : loaded->objects) {
              EXPECT_EQ(object.name.back(), loaded->objects.front().name.back());
            }
            return {};
          },
          .overwrite = [save](GapWorld& world) { save(world, 'b'); },
          .remove = [](GapWorld& world) { world.Delete(kCacheName); }};
}

}  // namespace

std::vector<GapOperation> ListingOperations() { return {Pages(), Ranges(), Cache(), Saved()}; }

}  // namespace gcsflux::testing
