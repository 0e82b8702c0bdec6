#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gcsflux/listing.h"
#include "support/after_request.h"
#include "support/fails_with.h"
#include "support/load_fault.h"
#include "support/stored_objects.h"

namespace gcsflux::testing {
namespace {

using std::chrono::hours;
using std::chrono::system_clock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ObjectName kCache{"bkt", "caches/train"};
const ObjectName kPrefix{"bkt", "train/"};

std::vector<std::string> NamesOf(const Listing& listing) {
  std::vector<std::string> names;
  for (const ListedObject& object : listing.objects) names.push_back(object.name);
  return names;
}

class ListingCache : public StoredObjects {
 protected:
  ListingCache() {
    for (const char* name : {"train/a", "train/b"}) Add(name);
  }

  void Add(const std::string& name) { EXPECT_TRUE(client_.InsertObject({kBucket, name}, AsBytes("x")).ok()) << name; }

  Listing List(const ListingCacheOptions& options = {}) { return ListAs(client_, options); }
  static Listing ListAs(const Client& client, const ListingCacheOptions& options = {}) {
    auto listing = ListThroughCache(client, kPrefix, kCache, options);
    EXPECT_TRUE(listing.ok()) << listing.error().message;
    return listing ? *std::move(listing) : Listing{};
  }

  // A client whose requests the listener observes.
  [[nodiscard]] Client Heard(std::shared_ptr<EventListener> listener) const {
    return *Client::Create({.endpoint = emulator_.endpoint(), .project = "p", .event_listener = std::move(listener)});
  }

  // Saves the current objects as a listing of that time.
  void SaveAsOf(system_clock::time_point time, const ObjectName& prefix = kPrefix) {
    auto listing = ListInParallel(client_, prefix);
    ASSERT_TRUE(listing.ok());
    ASSERT_TRUE(SaveListing(client_, kCache, {.prefix = prefix, .time = time, .objects = listing->objects}).ok());
  }

  void Refuse(const std::string& operation, int status) {
    testing::LoadFault(emulator_, "refused", {.operation = operation, .object_prefix = kCache.name},
                       {.type = "status", .status = status});
  }
};

TEST_F(ListingCache, IsWrittenByTheFirstProcessAndReadByOthers) {
  const Listing first = List();
  EXPECT_THAT(NamesOf(first), ElementsAre("train/a", "train/b"));
  EXPECT_FALSE(first.is_from_cache);
  EXPECT_TRUE(first.is_in_cache);
  EXPECT_FALSE(first.cache_error);
  Add("train/c");
  const Listing second = List();
  EXPECT_THAT(NamesOf(second), ElementsAre("train/a", "train/b")) << "the saved one";
  EXPECT_TRUE(second.is_from_cache);
  EXPECT_TRUE(second.is_in_cache);
  EXPECT_FALSE(second.cache_error);
  EXPECT_EQ(second.prefix, kPrefix);
  EXPECT_LT(system_clock::now() - second.time, hours(1));
}

TEST_F(ListingCache, LaterWriterReadsTheListingOfTheFirst) {
  // While it lists, another process lists one object more, and saves that.
  const Client slow = Heard(std::make_shared<testing::AfterRequest>("objects.list", "", [this] {
    Add("train/c");
    EXPECT_FALSE(List().is_from_cache);
  }));
  const Listing listing = ListAs(slow);
  EXPECT_THAT(NamesOf(listing), ElementsAre("train/a", "train/b", "train/c"));
  EXPECT_TRUE(listing.is_from_cache);
  EXPECT_FALSE(listing.cache_error);
}

TEST_F(ListingCache, LaterReplacementReadsTheListingOfTheFirst) {
  SaveAsOf(system_clock::now() - hours(5));
  const Client slow = Heard(std::make_shared<testing::AfterRequest>("objects.list", "", [this] {
    Add("train/c");
    EXPECT_FALSE(List({.max_age = hours(4)}).is_from_cache);
  }));
  const Listing listing = ListAs(slow, {.max_age = hours(4)});
  EXPECT_THAT(NamesOf(listing), ElementsAre("train/a", "train/b", "train/c"));
  EXPECT_TRUE(listing.is_from_cache);
}

TEST_F(ListingCache, ReplacesARivalsOtherPrefixWithoutListingAgain) {
  const Client slow = Heard(
      CombineListeners({std::make_shared<testing::AfterRequest>("objects.list", "",
                                                                [this] {
                                                                  SaveAsOf(system_clock::now(), {kBucket, "tra"});
                                                                }),
                        std::make_shared<testing::AfterRequest>("objects.insert", "", [this] { Add("train/c"); })}));
  const Listing listing = ListAs(slow);
  EXPECT_THAT(NamesOf(listing), ElementsAre("train/a", "train/b"));
  EXPECT_FALSE(listing.is_from_cache);
  EXPECT_TRUE(listing.is_in_cache);
  EXPECT_EQ(List().prefix, kPrefix);
}

TEST_F(ListingCache, ReadsAgainIfReplacedDuringTheRead) {
  ASSERT_TRUE(List().is_in_cache);
  const Client slow =
      Heard(std::make_shared<testing::AfterRequest>("objects.get", "", [this] {  // between its metadata and its bytes
        Add("train/c");
        SaveAsOf(system_clock::now());
      }));
  const Listing listing = ListAs(slow);
  EXPECT_THAT(NamesOf(listing), ElementsAre("train/a", "train/b", "train/c"));
  EXPECT_TRUE(listing.is_from_cache);
}

TEST_F(ListingCache, GivesConcurrentCallersTheSameListing) {
  constexpr std::size_t kRanks = 8;
  std::vector<Listing> listings(kRanks);
  {
    std::vector<std::jthread> ranks;
    for (Listing& listing : listings) {
      ranks.emplace_back([this, &listing] { listing = ListAs(MakeClient(1 << 20)); });
      if (ranks.size() == kRanks / 2) Add("train/c");
    }
  }
  for (const Listing& listing : listings) {
    EXPECT_EQ(NamesOf(listing), NamesOf(listings.front()));
    EXPECT_EQ(listing.time, listings.front().time);
    EXPECT_TRUE(listing.is_in_cache);
    EXPECT_FALSE(listing.cache_error);
  }
  EXPECT_EQ(NamesOf(List()), NamesOf(listings.front()));
}

TEST_F(ListingCache, ReplacesAStaleListing) {
  SaveAsOf(system_clock::now() - hours(5));
  Add("train/c");
  EXPECT_EQ(List({.max_age = hours(6)}).objects.size(), 2U);
  const Listing listing = List({.max_age = hours(4)});
  EXPECT_EQ(listing.objects.size(), 3U);
  EXPECT_TRUE(listing.is_in_cache);
  ASSERT_TRUE(listing.cache_error);
  EXPECT_EQ(listing.cache_error->code, ErrorCode::kStale);
  EXPECT_EQ(List({.max_age = hours(4)}).objects.size(), 3U);
}

TEST_F(ListingCache, ReplacesADamagedListing) {
  ASSERT_TRUE(List().is_in_cache);
  std::string bytes = *client_.ReadObject(kCache);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  ASSERT_TRUE(client_.InsertObject(kCache, AsBytes(bytes)).ok());
  const Listing listing = List();
  EXPECT_THAT(NamesOf(listing), ElementsAre("train/a", "train/b"));
  ASSERT_TRUE(listing.cache_error);
  EXPECT_EQ(listing.cache_error->code, ErrorCode::kCorrupted);
  EXPECT_TRUE(List().is_from_cache);
}

TEST_F(ListingCache, ReplacesAListingOfAnotherPrefix) {
  SaveAsOf(system_clock::now(), {kBucket, "tra"});
  const Listing listing = List();
  EXPECT_FALSE(listing.is_from_cache);
  EXPECT_TRUE(listing.is_in_cache);
  ASSERT_TRUE(listing.cache_error);
  EXPECT_THAT(listing.cache_error->message, HasSubstr("gs://bkt/tra,"));
  EXPECT_EQ(List().prefix, kPrefix);
}

TEST_F(ListingCache, ReplacesAListingWithForeignNames) {
  Add("secret");
  const auto all = ListInParallel(client_, {kBucket, ""});
  ASSERT_TRUE(all.ok());
  ASSERT_TRUE(
      SaveListing(client_, kCache, {.prefix = kPrefix, .time = system_clock::now(), .objects = all->objects}).ok());
  const Listing listing = List();
  EXPECT_THAT(NamesOf(listing), ElementsAre("train/a", "train/b"));
  ASSERT_TRUE(listing.cache_error);
  EXPECT_EQ(listing.cache_error->code, ErrorCode::kCorrupted);
  EXPECT_TRUE(List().is_from_cache);
}

TEST_F(ListingCache, NeverOverwritesAForeignObject) {
  ASSERT_TRUE(client_.InsertObject(kCache, AsBytes("a model")).ok());
  EXPECT_TRUE(testing::FailsWith(ListThroughCache(client_, kPrefix, kCache), ErrorCode::kInvalidArgument,
                                 HasSubstr("gs://bkt/caches/train")));
  EXPECT_EQ(*client_.ReadObject(kCache), "a model");
}

TEST_F(ListingCache, KeepsAListingOfANewerVersion) {
  const std::string newer = "gcsflux listing\n\x04 and so on";
  ASSERT_TRUE(client_.InsertObject(kCache, AsBytes(newer)).ok());
  const Listing listing = List();
  EXPECT_EQ(listing.objects.size(), 2U);
  EXPECT_FALSE(listing.is_in_cache);
  ASSERT_TRUE(listing.cache_error);
  EXPECT_EQ(*client_.ReadObject(kCache), newer);
}

TEST_F(ListingCache, ReturnsTheListingWithoutWritePermission) {
  Refuse("storage.objects.insert", 403);
  const Listing listing = List();
  EXPECT_EQ(emulator_.faults().Fired("refused"), 1U);
  EXPECT_THAT(NamesOf(listing), ElementsAre("train/a", "train/b"));
  EXPECT_FALSE(listing.is_in_cache);
  ASSERT_TRUE(listing.cache_error);
  EXPECT_EQ(listing.cache_error->code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(listing.cache_error->message, HasSubstr("gs://bkt/caches/train"));
}

TEST_F(ListingCache, SavesNothingWithoutReadPermission) {
  Refuse("storage.objects.get", 403);
  const Listing listing = List();
  EXPECT_EQ(emulator_.faults().Fired("refused"), 1U);
  EXPECT_EQ(listing.objects.size(), 2U);
  EXPECT_FALSE(listing.is_in_cache);
  ASSERT_TRUE(listing.cache_error);
  EXPECT_EQ(listing.cache_error->code, ErrorCode::kPermissionDenied);
}

TEST_F(ListingCache, FiltersTheSavedListing) {
  for (const char* name : {"train/", "train/c", "train/d"}) Add(name);
  ASSERT_TRUE(client_.InsertObject({kBucket, "train/e"}, AsBytes("x"), {.attributes = {.storage_class = "NEARLINE"}}));
  const auto names = [this](const ParallelListOptions& options) { return NamesOf(List({.listing = options})); };
  EXPECT_THAT(names({.start_offset = "train/b",
                     .end_offset = "train/d",
                     .limit = 1,
                     .include_directory_markers = false,
                     .storage_classes = {"STANDARD"}}),
              ElementsAre("train/b"))
      << "listed, and saved";
  EXPECT_THAT(names({.start_offset = "train/b", .end_offset = "train/d"}), ElementsAre("train/b", "train/c"));
  EXPECT_THAT(names({.limit = 2, .include_directory_markers = false}), ElementsAre("train/a", "train/b"));
  EXPECT_THAT(names({.storage_classes = {"NEARLINE"}}), ElementsAre("train/e"));
  EXPECT_EQ(names({}).size(), 6U);
}

TEST_F(ListingCache, IsNotPartOfItsOwnListing) {
  const ObjectName within{kBucket, "train/.listing"};
  for (int i = 0; i < 2; ++i) {
    const auto listing = ListThroughCache(client_, kPrefix, within, {.max_age = std::chrono::seconds(-1)});
    ASSERT_TRUE(listing.ok()) << listing.error().message;
    EXPECT_FALSE(listing->is_from_cache);
    EXPECT_THAT(NamesOf(*listing), ElementsAre("train/a", "train/b")) << i;
  }
}

// A program saved a listing of all objects there.
TEST_F(ListingCache, IsNotPartOfAListingThatAnotherProgramSaved) {
  const ObjectName within{kBucket, "train/.listing"};
  Add(within.name);
  const auto all = ListInParallel(client_, kPrefix);
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->objects.size(), 3U);
  ASSERT_TRUE(
      SaveListing(client_, within, {.prefix = kPrefix, .time = system_clock::now(), .objects = all->objects}).ok());
  const auto listing = ListThroughCache(client_, kPrefix, within, {.listing = {.limit = 2}});
  ASSERT_TRUE(listing.ok()) << listing.error().message;
  EXPECT_TRUE(listing->is_from_cache);
  EXPECT_THAT(NamesOf(*listing), ElementsAre("train/a", "train/b"));
}

TEST_F(ListingCache, StopsBeforeListing) {
  std::stop_source stop;
  // The listing waits for an hour of a clock that stands still.
  emulator_.clock().Freeze();
  testing::LoadFault(emulator_, "hangs", {.operation = "storage.objects.list"},
                     {.type = "stall", .duration = hours(1)});
  std::jthread stopper([&] {
    emulator_.clock().AwaitWaiters(1);
    stop.request_stop();
  });
  EXPECT_TRUE(testing::FailsWith(ListThroughCache(client_, kPrefix, kCache, {.stop = stop.get_token()}),
                                 ErrorCode::kCancelled));
  EXPECT_GE(emulator_.faults().Fired("hangs"), 1U);
  emulator_.clock().Advance(hours(2));
}

TEST_F(ListingCache, DoesNotSaveAnEmptyListing) {
  const auto listing = ListThroughCache(client_, {kBucket, "none/"}, kCache);
  ASSERT_TRUE(listing.ok());
  EXPECT_THAT(NamesOf(*listing), IsEmpty());
  EXPECT_FALSE(listing->is_in_cache);
  EXPECT_FALSE(client_.GetObject(kCache).ok());
}

TEST_F(ListingCache, RefusesInvalidArguments) {
  EXPECT_EQ(ListThroughCache(client_, kPrefix, {kBucket, ""}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ListThroughCache(client_, {"none", ""}, kCache).error().code, ErrorCode::kNotFound);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(ListThroughCache(client_, kPrefix, kCache, {.stop = stop.get_token()}).error().code, ErrorCode::kCancelled);
}

TEST_F(ListingCache, ListsDespiteAMissingCacheBucket) {
  const auto listing = ListThroughCache(client_, kPrefix, {"no-such-bucket", "cache"});
  ASSERT_TRUE(listing.ok()) << listing.error().message;
  EXPECT_EQ(listing->objects.size(), 2U);
  ASSERT_TRUE(listing->cache_error);
  EXPECT_EQ(listing->cache_error->code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace gcsflux::testing
