// EventWriter while the service does not answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "gcsflux/emulator/emulator.h"
#include "gcsflux/event_writer.h"
#include "support/fails_with.h"
#include "support/load_fault.h"

namespace gcsflux {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;

TEST(StalledEvents, KeepNeitherTheTrainingNorCloseWaiting) {
  emulator::Emulator emulator;
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .project = "p"});
  ASSERT_TRUE(client.InsertBucket("bkt").ok());
  emulator.clock().Freeze();
  testing::LoadFault(emulator, "stall", {.operation = "storage.objects.insert"},
                     {.type = "stall", .duration = std::chrono::hours(1)});
  auto writer = EventWriter::Open(client, "gs://bkt/runs/7",
                                  {.end_deadline = std::chrono::milliseconds(20), .on_failure = [](const Error&) {}});
  ASSERT_TRUE(writer.ok());
  while (emulator.faults().Fired("stall") == 0) std::this_thread::yield();
  for (int i = 0; i < 1000; ++i) writer->AddScalar("loss", i, i);
  EXPECT_TRUE(FailsWith(writer->Close(), ErrorCode::kCancelled, HasSubstr("1000 events are not stored")));
}

}  // namespace
}  // namespace gcsflux
