// Saved listings without memory for one of their pieces.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"
#include "support/result.h"
#include "support/watched_memory.h"

namespace gcsflux {
namespace {

class ScarceListing : public ::testing::Test {
 protected:
  ScarceListing() {
    EXPECT_TRUE(client_.InsertBucket("bkt").ok());
    for (int i = 10'000; i < 13'000; ++i) {
      listing_.objects.push_back({.name = "p/" + std::to_string(i), .generation = i});
    }
  }

  // Lets one large allocation of the call fail, each in turn.
  static void ExpectErrors(const std::function<Result<void>()>& call) {
    int failures = 0;
    for (bool has_failed = true; has_failed; ++failures) {
      Result<void> done;
      {
        const testing::ScarceMemory scarce(16 << 10, failures);
        done = call();
        has_failed = testing::ScarceMemory::has_failed();
      }
      EXPECT_EQ(done.ok(), !has_failed) << failures;
      if (!done.ok()) {
        EXPECT_NE(done.error().message.find("memory"), std::string::npos) << done.error().message;
      }
    }
    EXPECT_GE(failures, 2);
  }

  emulator::Emulator emulator_;
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
  Listing listing_{.prefix = {"bkt", "p/"}, .time = std::chrono::system_clock::now()};
};

TEST_F(ScarceListing, FailsASave) {
  ExpectErrors([&]() -> Result<void> {
    const auto saved = SaveListing(client_, {"bkt", "saved"}, listing_);
    if (!saved) return saved.error();
    return {};
  });
}

TEST_F(ScarceListing, FailsALoad) {
  ASSERT_TRUE(SaveListing(client_, {"bkt", "saved"}, listing_).ok());
  ExpectErrors([&]() -> Result<void> {
    const auto loaded = LoadListing(client_, {"bkt", "saved"});
    if (!loaded) return loaded.error();
    return {};
  });
}

}  // namespace
}  // namespace gcsflux
