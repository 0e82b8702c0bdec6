#include "transfer/listing/tiling.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

namespace gcsflux::internal::listing {
namespace {

// It would list names again that another page has listed meanwhile.
TEST(Tiling, DropsATokenThatAnotherPageHasPassed) {
  Tiling tiling("a", "z", {});
  tiling.open().front().next = Continuation{.start_offset = "a", .end_offset = "z", .page_token = "after b"};
  const std::vector<std::string_view> names = {"a", "c", "d"};
  EXPECT_EQ(tiling.Absorb("a", "e", names, std::nullopt).size(), 1U);
  ASSERT_EQ(tiling.open().size(), 1U);
  EXPECT_EQ(tiling.open().front().lo, "e");
  EXPECT_FALSE(tiling.open().front().next);
}

}  // namespace
}  // namespace gcsflux::internal::listing
