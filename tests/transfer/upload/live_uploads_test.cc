#include "transfer/upload/live_uploads.h"

#include <gtest/gtest.h>

#include "support/fake_gcs.h"
#include "support/result.h"

namespace gcsflux::internal {
namespace {

TEST(LiveUploads, RefuseUploadsAtTheEndOfTheProcess) {
  testing::FakeGcs gcs;
  const Client client = testing::MakeClient(gcs);
  LiveUploads live;
  EXPECT_TRUE(live.Add(client, {"bkt", "before"}, /*is_temporary=*/true).ok());
  live.DropAll({});
  EXPECT_FALSE(gcs.requests.empty());
  EXPECT_EQ(testing::ErrorOf(live.Add(client, {"bkt", "after"}, /*is_temporary=*/true)).code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace gcsflux::internal
