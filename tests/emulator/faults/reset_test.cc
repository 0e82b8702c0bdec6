#include <gtest/gtest.h>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

class ResetFault : public FaultTest {};

TEST_F(ResetFault, ResetsBeforeTheOperation) {
  Inject({.type = "reset"}, {.operation = "storage.objects.insert"});
  const RawExchange exchange = Exchange("POST", InsertTarget("object"), "", "content");
  EXPECT_TRUE(exchange.is_silent());
  EXPECT_TRUE(exchange.was_reset);
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Stored("object"), std::nullopt);
}

TEST_F(ResetFault, AppearsInTheJournalWithoutAStatus) {
  Inject({.type = "reset"});
  Exchange("GET", "/storage/v1/b/bucket");
  const RequestRecord record = emulator().journal().back();
  EXPECT_EQ(record.operation, "storage.buckets.get");
  EXPECT_EQ(record.status, 0);
  EXPECT_EQ(record.faults, std::vector<std::string>{"fault"});
}

}  // namespace
}  // namespace gcsflux::emulator
