#include <gmock/gmock.h>

#include "gcsflux/listing.h"
#include "support/fails_with.h"
#include "support/stored_objects.h"

namespace gcsflux::testing {
namespace {

using std::chrono::hours;
using std::chrono::system_clock;
using ::testing::HasSubstr;

const ObjectName kSaved{"bkt", "saved"};

class SavedListingTest : public StoredObjects {
 protected:
  Listing Snapshot(system_clock::time_point time = system_clock::now()) {
    if (contents_.empty()) {
      for (int i = 0; i < 3; ++i) Put(RandomBytes(100, 1));
    }
    auto listing = ListInParallel(client_, {kBucket, "object"});
    EXPECT_TRUE(listing.ok());
    return {.prefix = {kBucket, "object"}, .time = time, .objects = listing->objects};
  }
};

TEST_F(SavedListingTest, RoundTrips) {
  const auto snapshot = Snapshot();
  ASSERT_TRUE(SaveListing(client_, kSaved, snapshot).ok());
  const auto loaded = LoadListing(client_, kSaved);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->prefix, snapshot.prefix);
  ASSERT_EQ(loaded->objects.size(), 3U);
  const auto batch = Downloader(client_).Download(DownloadSources(kBucket, loaded->objects));
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  EXPECT_EQ(TextOf((*batch)[2].bytes), contents_[2]);
}

TEST_F(SavedListingTest, IsStaleIfTooOld) {
  ASSERT_TRUE(SaveListing(client_, kSaved, Snapshot(system_clock::now() - hours(5))).ok());
  EXPECT_TRUE(LoadListing(client_, kSaved, {.max_age = hours(6)}).ok());
  EXPECT_TRUE(LoadListing(client_, kSaved).ok());
  EXPECT_TRUE(testing::FailsWith(LoadListing(client_, kSaved, {.max_age = hours(4)}), ErrorCode::kStale,
                                 HasSubstr("gs://bkt/saved")));
}

// Otherwise its age overflows nanoseconds, or is negative.
TEST_F(SavedListingTest, IsStaleIfItsTimeIsImpossible) {
  for (const auto time :
       {system_clock::time_point::min(), system_clock::now() + hours(5), system_clock::time_point::max()}) {
    ASSERT_TRUE(SaveListing(client_, kSaved, Snapshot(time)).ok());
    for (const auto max_age : {hours(0), hours(4)}) {
      EXPECT_TRUE(testing::FailsWith(LoadListing(client_, kSaved, {.max_age = max_age}), ErrorCode::kStale));
    }
    EXPECT_TRUE(LoadListing(client_, kSaved).ok());
  }
}

TEST_F(SavedListingTest, DoesNotReplaceUnderKCreate) {
  ASSERT_TRUE(SaveListing(client_, kSaved, Snapshot(), {.mode = WriteMode::kCreate}).ok());
  EXPECT_TRUE(testing::FailsWith(SaveListing(client_, kSaved, Snapshot(), {.mode = WriteMode::kCreate}),
                                 ErrorCode::kPreconditionFailed));
}

TEST_F(SavedListingTest, ReplacesOnlyTheNamedGeneration) {
  const auto first = SaveListing(client_, kSaved, Snapshot());
  ASSERT_TRUE(first.ok());
  const UploadOptions replace{.mode = WriteMode::kReplace, .generation = first->generation};
  EXPECT_TRUE(SaveListing(client_, kSaved, Snapshot(), replace).ok());
  EXPECT_TRUE(testing::FailsWith(SaveListing(client_, kSaved, Snapshot(), replace), ErrorCode::kPreconditionFailed));
}

TEST_F(SavedListingTest, RefusesAForeignObjectByName) {
  ASSERT_TRUE(UploadObject(client_, kSaved, AsBytes("no listing")).ok());
  EXPECT_TRUE(testing::FailsWith(LoadListing(client_, kSaved), ErrorCode::kCorrupted, HasSubstr("gs://bkt/saved")));
}

TEST_F(SavedListingTest, IsNotFoundIfAbsent) {
  EXPECT_TRUE(testing::FailsWith(LoadListing(client_, kSaved), ErrorCode::kNotFound));
}

}  // namespace
}  // namespace gcsflux::testing
