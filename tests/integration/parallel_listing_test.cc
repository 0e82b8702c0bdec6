// Parallel listings against the emulator: its computed buckets, faults and quotas, and changing names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using emulator::NamePattern;
using ::testing::HasSubstr;

constexpr std::uint64_t kNames = 30'000;  // six pages
constexpr std::uint64_t kMany = 300'000;

emulator::EmulatorOptions WithVirtualBuckets() {
  emulator::EmulatorOptions options;
  for (char pattern = 'a'; pattern <= 'h'; ++pattern) {
    options.virtual_buckets.push_back({.name = std::string("names-") + pattern,
                                       .count = kNames,
                                       .size_bytes = 10,
                                       .pattern = static_cast<NamePattern>(pattern)});
  }
  options.virtual_buckets.push_back({.name = "many", .count = kMany, .size_bytes = 10});
  return options;
}

class ParallelListingTest : public ::testing::Test {
 protected:
  // Page after page, as a program without this library lists.
  std::vector<ObjectMetadata> Sequentially(const std::string& bucket) {
    std::vector<ObjectMetadata> objects;
    ListOptions options;
    do {
      auto page = *client_.ListObjects({bucket}, options);
      std::move(page.objects.begin(), page.objects.end(), std::back_inserter(objects));
      options.page_token = page.next_page_token;
    } while (!options.page_token.empty());
    return objects;
  }

  static std::vector<std::string> NamesOf(const std::vector<ListedObject>& objects) {
    std::vector<std::string> names;
    names.reserve(objects.size());
    for (const ListedObject& object : objects) names.push_back(object.name);
    return names;
  }

  void MakeBucket(const std::vector<std::string>& names) {
    ASSERT_TRUE(client_.InsertBucket("my-bucket").ok());
    for (const std::string& name : names) ASSERT_TRUE(client_.InsertObject({"my-bucket", name}, AsBytes("x")).ok());
  }

  // A rule for lists, by the name "fault".
  void Load(emulator::FaultMatch match, emulator::FaultAction action) {
    match.operation = "storage.objects.list";
    emulator_.faults().Load({.seed = 7, .rules = {{.name = "fault", .match = match, .action = action}}});
  }

  emulator::Emulator emulator_{WithVirtualBuckets()};
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
};

TEST_F(ParallelListingTest, MatchesASequentialListing) {
  for (char pattern = 'a'; pattern <= 'h'; ++pattern) {
    const std::string bucket = std::string("names-") + pattern;
    const std::vector<ObjectMetadata> want = Sequentially(bucket);
    const auto listing = ListInParallel(client_, {bucket});
    ASSERT_TRUE(listing.ok()) << listing.error().message;
    ASSERT_EQ(listing->objects.size(), want.size()) << pattern;
    for (std::size_t i = 0; i < want.size(); ++i) {
      const ListedObject& object = listing->objects[i];
      ASSERT_EQ(object.name, want[i].name) << pattern;
      ASSERT_EQ(object.size, want[i].size);
      ASSERT_EQ(object.generation, want[i].generation);
      ASSERT_EQ(object.crc32c, want[i].crc32c);
      ASSERT_EQ(object.storage_class, want[i].storage_class);
      ASSERT_EQ(object.updated, want[i].updated);
    }
    EXPECT_EQ(listing->object_count, kNames);
    EXPECT_GE(listing->calls, 6U);
    EXPECT_EQ(listing->storage_classes, (std::map<std::string, std::uint64_t>{{"STANDARD", kNames}}));
    EXPECT_EQ(listing->warning, "");
  }
}

TEST_F(ParallelListingTest, StealsWorkWithinItsConcurrency) {
  emulator_.shaping().Set({.list_first_byte_ms = 20});
  const auto listing = ListInParallel(client_, {"names-a"}, {.max_concurrency = 8});
  ASSERT_TRUE(listing.ok());
  std::size_t calls = 0;
  std::size_t in_the_middle = 0;
  std::size_t most_in_flight = 0;
  for (const emulator::RequestRecord& request : emulator_.journal()) {
    if (request.operation != "storage.objects.list") continue;
    ++calls;
    most_in_flight = std::max(most_in_flight, request.in_flight);
    in_the_middle += request.target.find("startOffset=") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(listing->steals, 1U);
  EXPECT_GE(in_the_middle, 1U);
  EXPECT_LE(calls, 2 * 6U + 8);
  EXPECT_LE(calls, listing->calls);  // the last one may have ended before they were sent
  EXPECT_GT(most_in_flight, 2U);
  EXPECT_LE(most_in_flight, 8U);
}

TEST_F(ParallelListingTest, MakesSequentialCallsWithOneWorker) {
  const auto listing = ListInParallel(client_, {"names-b"}, {.max_concurrency = 1});
  ASSERT_TRUE(listing.ok());
  EXPECT_EQ(listing->objects.size(), kNames);
  EXPECT_EQ(listing->calls, 6U);
  EXPECT_EQ(listing->steals, 0U);
}

TEST_F(ParallelListingTest, GivesASinkEachObjectOnce) {
  std::set<std::string> names;
  std::size_t objects = 0;
  const auto sink = [&](std::vector<ListedObject> batch) -> Result<void> {
    EXPECT_FALSE(batch.empty());
    objects += batch.size();
    for (const ListedObject& object : batch) names.insert(object.name);
    return {};
  };
  const auto listed = ListInParallel(client_, {"names-c"}, DeliveryOrder::kAsCompleted, sink);
  ASSERT_TRUE(listed.ok());
  EXPECT_EQ(objects, kNames);
  EXPECT_EQ(names.size(), kNames);
  EXPECT_EQ(listed->object_count, kNames);
}

TEST_F(ParallelListingTest, GivesASinkObjectsByNameIfAsked) {
  std::string last;
  std::size_t out_of_order = 0;
  const auto sink = [&](std::vector<ListedObject> batch) -> Result<void> {
    for (const ListedObject& object : batch) {
      out_of_order += object.name <= last ? 1 : 0;
      last = object.name;
    }
    return {};
  };
  const auto listed = ListInParallel(client_, {"names-e"}, DeliveryOrder::kInOrder, sink);
  ASSERT_TRUE(listed.ok());
  EXPECT_EQ(listed->object_count, kNames);
  EXPECT_EQ(out_of_order, 0U);
}

TEST_F(ParallelListingTest, IsWholeUnderTransientFaults) {
  const std::vector<emulator::FaultAction> actions = {
      {.type = "status", .status = 503}, {.type = "reset"}, {.type = "cut", .after_bytes = 1000}};
  for (const emulator::FaultAction& action : actions) {
    SCOPED_TRACE(action.type);
    Load({.every = 2}, action);
    const auto listing = ListInParallel(client_, {"names-f"}, {.max_concurrency = 8});
    ASSERT_TRUE(listing.ok()) << listing.error().message;
    EXPECT_EQ(listing->objects.size(), kNames);
    EXPECT_GE(emulator_.faults().Fired("fault"), 1U);
    // A read whose connection breaks before its answer is repeated below the level that counts.
    EXPECT_TRUE(action.type != "status" || listing->retries >= 1);
  }
}

TEST_F(ParallelListingTest, IsWholeUnderAQuota) {
  emulator_.quotas().Set({.reads_per_second = 40});
  const auto listing = ListInParallel(client_, {"names-d"}, {.max_concurrency = 24});
  ASSERT_TRUE(listing.ok()) << listing.error().message;
  EXPECT_EQ(listing->objects.size(), kNames);
  EXPECT_GE(emulator_.quotas().counters().refused_reads, 1U) << "nothing was throttled";
  EXPECT_GE(listing->throttled, 1U);
}

TEST_F(ParallelListingTest, IsWholeUnderRandomFaultsAndThrottles) {
  emulator_.quotas().Set({.reads_per_second = 60});
  const emulator::FaultMatch match{.operation = "storage.objects.list", .probability = 0.15};
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    emulator_.faults().Load(
        {.seed = seed,
         .rules = {{.name = "refused", .match = match, .action = {.type = "status", .status = 503}},
                   {.name = "reset", .match = match, .action = {.type = "reset"}},
                   {.name = "cut", .match = match, .action = {.type = "cut", .after_bytes = 20'000}}}});
    const auto listing = ListInParallel(client_, {"names-c"}, {.max_concurrency = 16});
    ASSERT_TRUE(listing.ok()) << listing.error().message;
    EXPECT_EQ(listing->objects.size(), kNames);
    const auto& faults = emulator_.faults();
    EXPECT_GE(faults.Fired("refused") + faults.Fired("reset") + faults.Fired("cut"), 1U);
  }
}

TEST_F(ParallelListingTest, ReturnsTheErrorOfAnyCall) {
  for (const std::uint64_t nth : {1, 2, 5, 6}) {
    Load({.nth = nth}, {.type = "status", .status = 403});
    const auto listing = ListInParallel(client_, {"names-h"}, {.max_concurrency = 1});
    ASSERT_TRUE(testing::FailsWith(listing, ErrorCode::kPermissionDenied)) << nth;
    EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
  }
  // It is unknown in advance which of the parallel calls are needed; half of all are.
  Load({.every = 2}, {.type = "status", .status = 403});
  EXPECT_TRUE(
      testing::FailsWith(ListInParallel(client_, {"names-h"}, {.max_concurrency = 8}), ErrorCode::kPermissionDenied));
  EXPECT_GE(emulator_.faults().Fired("fault"), 1U);
}

TEST_F(ParallelListingTest, DistinguishesAnEmptyFromAMissingBucket) {
  MakeBucket({});
  const auto nothing = ListInParallel(client_, {"my-bucket"});
  ASSERT_TRUE(nothing.ok());
  EXPECT_TRUE(nothing->objects.empty());
  EXPECT_EQ(testing::ErrorOf(ListInParallel(client_, {"missing"})).code, ErrorCode::kNotFound);
}

TEST_F(ParallelListingTest, RefusesInvalidOptions) {
  EXPECT_EQ(testing::ErrorOf(ListInParallel(client_, {"names-a"}, {.max_concurrency = 0})).code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorOf(ListInParallel(client_, {"names-a"}, {.call_cap = 0.5})).code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorOf(ListInParallel(client_, {"names-a"}, DeliveryOrder::kAsCompleted, nullptr)).code,
            ErrorCode::kInvalidArgument);
}

TEST_F(ParallelListingTest, OmitsUnrequestedNames) {
  MakeBucket({"a", "a/", "a/b", "dataflux-composed-objects/1", "z"});
  const auto names = [&](const std::string& prefix, const ParallelListOptions& options) {
    return NamesOf(ListInParallel(client_, {"my-bucket", prefix}, options)->objects);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("", {}), (Names{"a", "a/", "a/b", "z"}));
  EXPECT_EQ(names("", {.include_directory_markers = false, .skip_composites = false}),
            (Names{"a", "a/b", "dataflux-composed-objects/1", "z"}));
  EXPECT_EQ(names("dataflux-composed-objects/", {}), (Names{"dataflux-composed-objects/1"}));
  EXPECT_EQ(names("a/", {}), (Names{"a/", "a/b"}));
  EXPECT_EQ(names("", {.start_offset = "a/", .end_offset = "a/b"}), (Names{"a/"}));
  EXPECT_EQ(names("", {.limit = 2}), (Names{"a", "a/"}));
  EXPECT_EQ(names("", {.limit = 0}), Names{});
}

TEST_F(ParallelListingTest, StopsAtALimitOfManyPages) {
  const auto want = Sequentially("names-a");
  const auto listing = ListInParallel(client_, {"names-a"}, {.limit = 23'456, .max_concurrency = 8});
  ASSERT_TRUE(listing.ok());
  ASSERT_EQ(listing->objects.size(), 23'456U);
  EXPECT_EQ(listing->objects.back().name, want[23'455].name);
}

TEST_F(ParallelListingTest, CountsStorageClassesAndWarnsOfRetrievalFees) {
  MakeBucket({"a", "b"});
  ASSERT_TRUE(
      client_.InsertObject({"my-bucket", "cold"}, AsBytes("x"), {.attributes = {.storage_class = "COLDLINE"}}).ok());
  const auto listing = ListInParallel(client_, {"my-bucket"});
  ASSERT_TRUE(listing.ok());
  EXPECT_EQ(listing->storage_classes, (std::map<std::string, std::uint64_t>{{"COLDLINE", 1}, {"STANDARD", 2}}));
  EXPECT_THAT(listing->warning, HasSubstr("1 of 3 objects under gs://my-bucket"));
  const auto cold = ListInParallel(client_, {"my-bucket"}, {.limit = 1, .storage_classes = {"ARCHIVE", "COLDLINE"}});
  ASSERT_TRUE(cold.ok());
  EXPECT_EQ(NamesOf(cold->objects), std::vector<std::string>{"cold"});
  EXPECT_EQ(cold->storage_classes, (std::map<std::string, std::uint64_t>{{"COLDLINE", 1}}));
}

TEST_F(ParallelListingTest, ReturnsTheSinksError) {
  const auto fails = [](std::vector<ListedObject>) -> Result<void> { return Error{ErrorCode::kAborted, "enough"}; };
  EXPECT_EQ(testing::ErrorOf(ListInParallel(client_, {"names-a"}, DeliveryOrder::kAsCompleted, fails)).message,
            "enough");
  const auto throws = [](std::vector<ListedObject>) -> Result<void> { throw std::runtime_error("enough"); };
  EXPECT_EQ(testing::ErrorOf(ListInParallel(client_, {"names-a"}, DeliveryOrder::kAsCompleted, throws)).code,
            ErrorCode::kLocalIo);
  const auto throws_no_exception = [](std::vector<ListedObject>) -> Result<void> { throw 7; };
  EXPECT_EQ(
      testing::ErrorOf(ListInParallel(client_, {"names-a"}, DeliveryOrder::kAsCompleted, throws_no_exception)).code,
      ErrorCode::kLocalIo);
}

// The heap's size with its overhead for each block; sanitizers have their own heaps.
double InUseBytes() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd);
}

TEST_F(ParallelListingTest, NeedsLittleMemoryBeyondNames) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "no mallinfo2";
#endif
  ASSERT_TRUE(ListInParallel(client_, {"many"}).ok());  // connections and threads of the emulator exist
  const double before = InUseBytes();
  const auto listing = ListInParallel(client_, {"many"});
  const double taken = InUseBytes() - before;
  ASSERT_TRUE(listing.ok());
  const auto objects = static_cast<double>(listing->objects.size());
  ASSERT_EQ(objects, kMany);
  const auto name_bytes = static_cast<double>(listing->objects.front().name.size());  // all hashes
  EXPECT_LE(taken / objects - name_bytes, 120);
  EXPECT_GE(taken / objects, sizeof(ListedObject)) << "nothing was measured";
}

TEST_F(ParallelListingTest, StopsOnRequest) {
  std::stop_source stop;
  const auto sink = [&](std::vector<ListedObject>) -> Result<void> {
    stop.request_stop();
    return {};
  };
  const auto listing =
      ListInParallel(client_, {"names-a"}, DeliveryOrder::kAsCompleted, sink, {.stop = stop.get_token()});
  ASSERT_FALSE(listing.ok());
  EXPECT_EQ(listing.error().code, ErrorCode::kCancelled);
}

TEST_F(ParallelListingTest, UsesSplitPointsOfAnEarlierListing) {
  const auto first = ListInParallel(client_, {"names-g"});
  ASSERT_TRUE(first.ok());
  ASSERT_GE(first->split_points.size(), 5U);
  const auto again = ListInParallel(client_, {"names-g"}, {.split_points = first->split_points});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(NamesOf(again->objects), NamesOf(first->objects));
  const auto other = ListInParallel(client_, {"names-f"}, {.split_points = first->split_points});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->objects.size(), kNames);
}

TEST_F(ParallelListingTest, ListsStableNamesOnceWhileOthersChange) {
  std::vector<std::string> comes_and_goes;
  comes_and_goes.reserve(50);
  for (int i = 0; i < 50; ++i) comes_and_goes.push_back("sample-0000000" + std::to_string(i * 577 + 10'000) + "-new");
  std::atomic<bool> is_over = false;
  std::jthread writer([&] {
    for (std::size_t i = 0; !is_over; ++i) {
      const ObjectName object{"names-b", comes_and_goes[i % comes_and_goes.size()]};
      if (i / comes_and_goes.size() % 2 == 0) {
        EXPECT_TRUE(client_.InsertObject(object, AsBytes("x")).ok());
      } else {
        EXPECT_TRUE(client_.DeleteObject(object).ok());
      }
    }
  });
  for (int i = 0; i < 5; ++i) {
    const auto listing = ListInParallel(client_, {"names-b"}, {.max_concurrency = 8});
    ASSERT_TRUE(listing.ok()) << listing.error().message;
    std::vector<std::string> names = NamesOf(listing->objects);
    EXPECT_TRUE(std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) == names.end());
    std::erase_if(names, [](const std::string& name) { return name.ends_with("-new"); });
    EXPECT_EQ(names.size(), kNames);
  }
  is_over = true;
}

}  // namespace
}  // namespace gcsflux
