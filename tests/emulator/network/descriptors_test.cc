// An emulator that has no descriptor or no thread left for another connection.

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "emulator/support/program.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "support/thread_limit.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::steady_clock;
using Connections = std::vector<std::unique_ptr<RawConnection>>;

constexpr std::chrono::seconds kGiveUp{30};
constexpr auto kBuckets = "/storage/v1/b";

// The program under a limit of 64 descriptors.
class LimitedProgram : public gcsflux::testing::ChildProgram {
 public:
  LimitedProgram()
      : ChildProgram("/bin/sh", {"-c", std::string("ulimit -n 64 && exec ") + GCSFLUX_EMULATOR_PROGRAM + " --port=0"}),
        endpoint_(ReadOutputLine().substr(kReady.size())) {}

  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

 private:
  std::string endpoint_;
};

// The answer to a new client; 0 if its connection ends without an answer.
int Ask(const std::string& endpoint) {
  RawConnection connection(endpoint);
  connection.Send(std::string("GET ") + kBuckets + " HTTP/1.1\r\nHost: h\r\n\r\n");
  const std::optional<RawResponse> response = connection.Receive();
  return response ? response->status : 0;
}

// Opens connections that are served, until one is refused.
Connections ExhaustDescriptors(const std::string& endpoint) {
  Connections served;
  while (true) {
    auto connection = std::make_unique<RawConnection>(endpoint);
    connection->Send(std::string("GET ") + kBuckets + " HTTP/1.1\r\nHost: h\r\n\r\n");
    const std::optional<RawResponse> response = connection->Receive();
    EXPECT_TRUE(response);
    if (!response || response->status != 200) return served;
    served.push_back(std::move(connection));
  }
}

bool IsServedAgain(const std::string& endpoint) {
  const auto give_up = steady_clock::now() + kGiveUp;
  while (steady_clock::now() < give_up) {
    if (Ask(endpoint) == 200) return true;
  }
  return false;
}

TEST(Descriptors, ShortageIsAnswered503) {
  LimitedProgram program;
  const Connections served = ExhaustDescriptors(program.endpoint());
  EXPECT_GT(served.size(), 20U);
  for (int i = 0; i < 50; ++i) {
    RawConnection refused(program.endpoint());
    refused.Send("POST /upload/storage/v1/b/bucket/o?name=x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
    const std::optional<RawResponse> response = refused.Receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 503);
    EXPECT_EQ(response->Header("connection"), "close");
    EXPECT_NE(response->body.find(R"("code":503)"), std::string::npos) << response->body;
    EXPECT_TRUE(refused.IsClosedByServer());
  }
  for (const auto& connection : served) EXPECT_EQ(connection->Call("GET", kBuckets).status, 200);
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), 0);
  const std::string log = program.ReadErrors();
  EXPECT_EQ(log.find("descriptors"), log.rfind("descriptors")) << "more than once: " << log;
  EXPECT_NE(log.find("there are no descriptors for another connection"), std::string::npos) << log;
}

TEST(Descriptors, ShortageEndsWithTheConnections) {
  LimitedProgram program;
  for (int round = 0; round < 3; ++round) {
    Connections served = ExhaustDescriptors(program.endpoint());
    served.pop_back();
    EXPECT_TRUE(IsServedAgain(program.endpoint())) << "one has ended";
    served.clear();
    EXPECT_TRUE(IsServedAgain(program.endpoint())) << "all have ended";
  }
}

TEST(Descriptors, SilentClientsDoNotBlockOthers) {
  LimitedProgram program;
  Connections silent;
  for (int i = 0; i < 200; ++i) silent.push_back(std::make_unique<RawConnection>(program.endpoint()));
  EXPECT_EQ(Ask(program.endpoint()), 503);
  silent.clear();
  EXPECT_TRUE(IsServedAgain(program.endpoint()));
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), 0);
}

TEST(Threads, ShortageIsAnswered503) {
  std::vector<std::string> log;
  Emulator emulator({.log = [&log](const std::string& line) { log.push_back(line); }});
  {
    const gcsflux::testing::ThreadLimit no_more(0);
    EXPECT_EQ(Ask(emulator.endpoint()), 503);
    EXPECT_EQ(Ask(emulator.endpoint()), 503);
    EXPECT_EQ(no_more.refused(), 2);
  }
  EXPECT_EQ(Ask(emulator.endpoint()), 200);
  emulator.Stop();
  ASSERT_EQ(log.size(), 1U);
  EXPECT_TRUE(log[0].starts_with("there are no threads for another connection")) << log[0];
}

}  // namespace
}  // namespace gcsflux::emulator
