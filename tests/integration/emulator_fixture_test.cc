// EmulatorTest with options, as a user's test has it.
#include <gmock/gmock.h>

#include "gcsflux/client.h"
#include "gcsflux/emulator/gtest.h"
#include "gcsflux/listing.h"
#include "support/result.h"

namespace gcsflux {
namespace {

class EmptyEmulatorTest : public emulator::EmulatorTest {};

TEST_F(EmptyEmulatorTest, HasAClientAndABucket) {
  ASSERT_TRUE(client().InsertObject({bucket(), "a"}, AsBytes("1")).ok());
  EXPECT_EQ(*client({.max_idle_connections = 1}).ReadObject({bucket(), "a"}), "1");
  EXPECT_EQ(client().ListBuckets()->size(), 1U) << "one bucket, however often its name is asked for";
}

TEST_F(EmptyEmulatorTest, HasAnEmptyBucketInEachTest) {
  EXPECT_TRUE(ListPrefix(client(), {bucket()})->objects.empty());
}

class FaultyEmulatorTest : public emulator::EmulatorTest {
 protected:
  FaultyEmulatorTest()
      : EmulatorTest({.faults = {.rules = {{.name = "gone",
                                            .match = {.operation = "storage.objects.get"},
                                            .action = {.type = "status", .status = 404}}}}}) {}
};

TEST_F(FaultyEmulatorTest, HasItsFaultsFromTheStart) {
  ASSERT_TRUE(client().InsertObject({bucket(), "a"}, AsBytes("1")).ok());
  EXPECT_EQ(testing::ErrorOf(client().GetObject({bucket(), "a"})).code, ErrorCode::kNotFound);
  EXPECT_EQ(emulator().faults().Fired("gone"), 1U);
}

class VirtualBucketTest : public emulator::EmulatorTest {
 protected:
  VirtualBucketTest() : EmulatorTest({.virtual_buckets = {{.name = "many", .count = 1'000}}}) {}
};

TEST_F(VirtualBucketTest, HasItsObjectsFromTheStart) {
  EXPECT_EQ(ListPrefix(client(), {"many"})->objects.size(), 1'000U);
}

class GuardedEmulatorTest : public emulator::EmulatorTest {
 protected:
  GuardedEmulatorTest() : EmulatorTest({.auth = emulator::AuthOptions{.config = R"({})"}}) {}
};

TEST_F(GuardedEmulatorTest, RefusesAClientWithoutCredentials) {
  EXPECT_EQ(testing::ErrorOf(client().ListBuckets()).code, ErrorCode::kUnauthenticated);
  EXPECT_THROW(static_cast<void>(bucket()), std::runtime_error);
}

}  // namespace
}  // namespace gcsflux
