#include "base/composite_name.h"

#include <gtest/gtest.h>

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;

TEST(CompositeName, ContainsTheStartOfItsRun) {
  const auto start = std::chrono::sys_days(std::chrono::November / 20 / 2026) + 6h + 15min + 7s + 89ms;
  const std::string run = FormatRun(start, "1b4e28ba-2fa1-4d2e-883f-0016d3cca427");
  EXPECT_EQ(run, "20261120T061507Z-1b4e28ba");
  EXPECT_EQ(CompositeName(run, "f81d4fae"), "dataflux-composed-objects/20261120T061507Z-1b4e28ba/f81d4fae");
}

}  // namespace
}  // namespace gcsflux::internal
