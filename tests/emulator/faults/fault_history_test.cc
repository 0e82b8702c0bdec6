#include "faults/engine/fault_history.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace gcsflux::emulator {
namespace {

FaultKey KeyOf(std::size_t number) {
  return {.operation = "storage.objects.get", .bucket = "bkt", .object = std::to_string(number)};
}

TEST(FaultHistory, CountsALimitedNumberOfKeys) {
  FaultHistory history;
  for (std::size_t i = 0; i < FaultHistory::kMaxKeys; ++i) ASSERT_EQ(history.Arrive(KeyOf(i)), 1U);
  const FaultKey known = KeyOf(0);
  const FaultKey another = KeyOf(FaultHistory::kMaxKeys);
  for (const std::uint64_t number : {2U, 3U}) {
    EXPECT_EQ(history.Arrive(another), 1U) << "it is not kept";
    EXPECT_EQ(history.Arrive(known), number);
  }
}

}  // namespace
}  // namespace gcsflux::emulator
