// Batches and streams under random read faults: the bytes are the objects', each once and in order, or the error names
// the object.
#include <gmock/gmock.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "gcsflux/download.h"
#include "support/fails_with.h"
#include "support/load_fault.h"
#include "support/stored_objects.h"

namespace gcsflux {
namespace {

using emulator::FaultRule;
using ::testing::HasSubstr;
using testing::TextOf;

class DownloadFaultsTest : public testing::StoredObjects {
 protected:
  // About one read in five has a transient fault.
  void LoadPassingFaults(std::uint64_t seed) {
    const auto rule = [](std::string name, emulator::FaultAction action, double probability) {
      return FaultRule{.name = std::move(name),
                       .match = {.operation = "storage.objects.get", .probability = probability},
                       .action = std::move(action)};
    };
    emulator_.faults().Load(
        {.seed = seed,
         .rules = {rule("busy", {.type = "status", .status = 503}, 0.06), rule("reset", {.type = "reset"}, 0.04),
                   rule("cut early", {.type = "cut", .after_bytes = 1}, 0.04),
                   rule("cut", {.type = "cut", .after_bytes = 20'000, .resets = true}, 0.06),
                   rule("false length", {.type = "falseLength", .length_delta = -7}, 0.04)}});
  }
  std::uint64_t Fired() {
    std::uint64_t fired = 0;
    for (const auto& count : emulator_.faults().Counts()) fired += count.fired;
    return fired;
  }
  std::vector<DownloadSource> StoreAtRandom(std::mt19937& random) {
    std::vector<std::size_t> sizes(20);
    for (std::size_t& size : sizes) size = random() % (random() % 4 == 0 ? 200'000 : 30'000);
    sizes[random() % sizes.size()] = 0;
    return Store(sizes);
  }
  // Flips a byte of an object this many times.
  void Corrupt(const std::string& name, std::uint64_t at_byte, std::uint64_t times) {
    testing::LoadFault(emulator_, "flip",
                       {.operation = "storage.objects.get", .object_prefix = name, .covers_byte = at_byte},
                       {.type = "corrupt", .at_byte = at_byte}, times);
  }
};

TEST_F(DownloadFaultsTest, DeliversBatchesAndStreamsWholeAndInOrder) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    contents_.clear();
    const auto sources = StoreAtRandom(random);
    LoadPassingFaults(seed);
    const Downloader downloader(MakeClient(100'000),
                                {.max_concurrency = 1 + static_cast<int>(random() % 8), .range_bytes = 40'000});
    const auto batch = downloader.Download(sources);
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    for (std::size_t i = 0; i < sources.size(); ++i) EXPECT_TRUE(TextOf((*batch)[i].bytes) == contents_[i]) << i;

    for (const DeliveryOrder order : {DeliveryOrder::kInOrder, DeliveryOrder::kAsCompleted}) {
      DownloadStream stream = downloader.Stream(sources, order);
      std::set<std::size_t> delivered;
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto object = stream.Next();
        ASSERT_TRUE(object.ok()) << object.error().message;
        ASSERT_TRUE(object->has_value());
        EXPECT_TRUE(order == DeliveryOrder::kAsCompleted || (*object)->index == i);
        delivered.insert((*object)->index);
        EXPECT_TRUE(TextOf((*object)->bytes) == contents_[(*object)->index]);
      }
      EXPECT_EQ(delivered.size(), sources.size());
      EXPECT_FALSE(stream.Next()->has_value());
    }
    EXPECT_GE(Fired(), 3U);
    emulator_.faults().Clear();
  }
}

TEST_F(DownloadFaultsTest, NamesFailedObjectsAndDeliversTheRest) {
  const auto sources = Store({10, 150'000, 20, 150'000, 30, 40});
  testing::LoadFault(emulator_, "forbidden", {.operation = "storage.objects.get", .object_glob = "object [13]"},
                     {.type = "status", .status = 403});
  const Downloader downloader(client_, {.range_bytes = 40'000, .delivers_failures = true});
  const auto batch = downloader.Download(sources);
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  DownloadStream stream = downloader.Stream(sources);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto object = stream.Next();
    ASSERT_TRUE(object.ok() && object->has_value());
    const bool is_forbidden = i == 1 || i == 3;
    ASSERT_EQ((*batch)[i].error.has_value(), is_forbidden) << i;
    ASSERT_EQ((*object)->error.has_value(), is_forbidden) << i;
    if (!is_forbidden) {
      EXPECT_TRUE(TextOf((*object)->bytes) == contents_[i]);
      continue;
    }
    for (const Error& error : {*(*batch)[i].error, *(*object)->error}) {
      EXPECT_EQ(error.code, ErrorCode::kPermissionDenied);
      EXPECT_THAT(error.message, HasSubstr("gs://bkt/object " + std::to_string(i)));
    }
  }
  EXPECT_GE(emulator_.faults().Fired("forbidden"), 4U);
}

TEST_F(DownloadFaultsTest, ReadsACorruptedStripeAgain) {
  const auto sources = Store({1'000'000, 10});
  for (const std::uint64_t at_byte : {0, 250'000, 999'999}) {
    Corrupt("object 0", at_byte, 1);
    const auto before = Reads();
    const auto batch = Downloader(client_, {.range_bytes = 100'000}).Download(sources);
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    EXPECT_TRUE(TextOf((*batch)[0].bytes) == contents_[0]);
    EXPECT_EQ(emulator_.faults().Fired("flip"), 1U);
    EXPECT_EQ(Reads() - before, 2 * 10U + 1);
  }
}

TEST_F(DownloadFaultsTest, FailsAnObjectWithATwiceCorruptedStripe) {
  const auto sources = Store({10, 1'000'000, 20});
  Corrupt("object 1", 250'000, 2);
  const Downloader downloader(client_, {.range_bytes = 100'000, .delivers_failures = true});
  const auto batch = downloader.Download(sources);
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  EXPECT_EQ(emulator_.faults().Fired("flip"), 2U);
  ASSERT_TRUE((*batch)[1].error.has_value());
  EXPECT_EQ((*batch)[1].error->code, ErrorCode::kCorrupted);
  EXPECT_THAT((*batch)[1].error->message, HasSubstr("gs://bkt/object 1"));
  EXPECT_FALSE((*batch)[0].error || (*batch)[2].error);
  EXPECT_EQ(Reads(), 2 * 10U + 2);
}

}  // namespace
}  // namespace gcsflux
