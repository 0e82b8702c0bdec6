// The benchmark's server is one that a client can trust: what it sends is an object by every check of the SDK.
#include "event_loops/delaying_server.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "crc32c.h"
#include "event_loops/content.h"
#include "gcsflux/download.h"

namespace gcsflux::bench {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kBytes = 100 << 10;

// Serves from a child, as the server never stops.
class Serving {
 public:
  explicit Serving(milliseconds delay) {
    DelayingServer server({.delay = delay, .content = ContentOf(kBytes)});
    endpoint_ = "http://127.0.0.1:" + std::to_string(server.port());
    pid_ = ::fork();
    if (pid_ != 0) return;  // The child has the listener too.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    server.Run();
  }
  ~Serving() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  [[nodiscard]] Client MakeClient() const {
    return *Client::Create({.endpoint = endpoint_, .credentials = Credentials::Anonymous(), .hedge = {.budget = 0}});
  }

 private:
  std::string endpoint_;
  pid_t pid_ = -1;
};

TEST(DelayingServer, SendsAnObjectThatTheClientCanCheck) {
  const Serving serving(milliseconds(0));
  const Client client = serving.MakeClient();
  for (int i = 0; i < 3; ++i) {
    const auto read = client.ReadObject({"bench", "object"});
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, ContentOf(kBytes));
  }
}

TEST(DelayingServer, AnswersAfterTheDelayNotSooner) {
  const Serving serving(milliseconds(30));
  const Client client = serving.MakeClient();
  const auto start = Clock::now();
  ASSERT_TRUE(client.ReadObject({"bench", "object"}).ok());
  EXPECT_GE(Clock::now() - start, milliseconds(30));
}

TEST(DelayingServer, DelaysReadsThatAreInFlightTogetherAtTheSameTime) {
  const Serving serving(milliseconds(250));
  const Downloader downloader(serving.MakeClient(), {.max_concurrency = 64});
  const DownloadSource source{
      .object = {"bench", "object"}, .size = kBytes, .generation = 1, .crc32c = Crc32c(ContentOf(kBytes))};
  const auto start = Clock::now();
  const auto batch = downloader.Download(std::vector(64, source));
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  EXPECT_LT(Clock::now() - start, milliseconds(64 * 250 / 2));  // One after the other they take 16 s.
}

}  // namespace
}  // namespace gcsflux::bench
