#include "transfer/download/allocate.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "support/result.h"

namespace gcsflux::internal {
namespace {

class AllocateTest : public ::testing::Test {
 protected:
  Result<std::shared_ptr<std::byte[]>> Take(const Allocator& allocator, std::uint64_t bytes) {
    return Allocate(allocator, *blocks_, bytes, [] { return std::string("gs://b/o"); });
  }

  const std::shared_ptr<BlockPool> blocks_ = std::make_shared<BlockPool>(1U << 20);
  int calls_ = 0;
  const Allocator counted_ = [this](std::uint64_t) {
    ++calls_;
    return std::make_shared<std::byte[]>(1);
  };
};

TEST_F(AllocateTest, ReturnsNullForZeroBytes) {
  for (const Allocator& allocator : {Allocator(), counted_}) {
    const auto taken = Take(allocator, 0);
    ASSERT_TRUE(taken.ok());
    EXPECT_EQ(*taken, nullptr);
  }
  EXPECT_EQ(calls_, 0);
}

// The size comes from a service. An allocator that trusts it may compute a wrong size, or abort the process.
TEST_F(AllocateTest, RefusesMoreThanAProcessCanAddress) {
  for (const std::uint64_t bytes : {std::uint64_t{1} << 47, std::numeric_limits<std::uint64_t>::max()}) {
    for (const Allocator& allocator : {Allocator(), counted_}) {
      const Error error = testing::ErrorOf(Take(allocator, bytes));
      EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
      EXPECT_TRUE(error.message.starts_with("no memory for gs://b/o of " + std::to_string(bytes))) << error.message;
    }
  }
  EXPECT_EQ(calls_, 0);
}

TEST_F(AllocateTest, ReportsWhyTheAllocatorFailed) {
  const Error none = testing::ErrorOf(Take([](std::uint64_t) { return nullptr; }, 7));
  EXPECT_EQ(none.message, "no memory for gs://b/o of 7 bytes: the allocator gave none");
  const Error thrown = testing::ErrorOf(
      Take([](std::uint64_t) -> std::shared_ptr<std::byte[]> { throw std::runtime_error("out of pages"); }, 7));
  EXPECT_EQ(thrown.message, "no memory for gs://b/o of 7 bytes: the allocator threw: out of pages");
}

}  // namespace
}  // namespace gcsflux::internal
