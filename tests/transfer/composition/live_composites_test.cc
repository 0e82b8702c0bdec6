#include "transfer/composition/live_composites.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "gcsflux/emulator/emulator.h"

namespace gcsflux::internal {
namespace {

class LiveCompositesTest : public ::testing::Test {
 protected:
  LiveCompositesTest() {
    EXPECT_TRUE(client_.InsertBucket("bkt").ok());
    EXPECT_TRUE(client_.InsertObject({"bkt", "a"}, AsBytes("a")).ok());
  }
  Composite Make(const std::string& name) {
    return {.object = {"bkt", name}, .generation = client_.ComposeObjects({{.name = "a"}}, {"bkt", name})->generation};
  }
  bool IsThere(const Composite& composite) { return client_.GetObject(composite.object).ok(); }

  emulator::Emulator emulator_;
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
  LiveComposites live_;
};

TEST_F(LiveCompositesTest, DeletesAllAndAdmitsNoMore) {
  const Composite settled = Make("settled");
  const Composite unsure = {.object = Make("unsure").object};
  for (const Composite& composite : {settled, unsure}) {
    ASSERT_TRUE(live_.Add(client_, composite.object).ok());
    live_.Settle(composite);
  }
  live_.DeleteAll({});
  EXPECT_EQ(live_.size(), 0U);
  EXPECT_FALSE(IsThere(settled));
  EXPECT_FALSE(IsThere(unsure));
  EXPECT_FALSE(live_.Add(client_, {"bkt", "late"}).ok());
}

TEST_F(LiveCompositesTest, WaitsForRunningComposes) {
  ASSERT_TRUE(live_.Add(client_, {"bkt", "coming"}).ok());
  std::jthread end([&] { live_.DeleteAll({}); });
  while (live_.Add(client_, {"bkt", "other"}).ok()) live_.Remove({"bkt", "other"});  // Until it has begun.
  const Composite coming = Make("coming");
  live_.Settle(coming);
  end.join();
  EXPECT_FALSE(IsThere(coming));
}

TEST_F(LiveCompositesTest, StopsOnRequest) {
  ASSERT_TRUE(live_.Add(client_, {"bkt", "never"}).ok());
  std::stop_source stop;
  stop.request_stop();
  live_.DeleteAll(stop.get_token());
  EXPECT_EQ(live_.size(), 1U);
  live_.RemoveAll("nev");
  EXPECT_EQ(live_.size(), 0U);
}

}  // namespace
}  // namespace gcsflux::internal
