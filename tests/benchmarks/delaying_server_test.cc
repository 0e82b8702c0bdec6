// Clients can trust the benchmark's server: its object passes every check of the SDK.
#include "event_loops/delaying_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>
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
  explicit Serving(milliseconds delay, std::size_t bytes = kBytes) {
    DelayingServer server({.delay = delay, .content = ContentOf(bytes)});
    port_ = server.port();
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

  [[nodiscard]] int port() const { return port_; }

  // Returns when its counters no longer change.
  void Stop() const {
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }
  void Continue() const { ::kill(pid_, SIGCONT); }

  [[nodiscard]] Client MakeClient() const {
    return *Client::Create({.endpoint = "http://127.0.0.1:" + std::to_string(port_),
                            .credentials = Credentials::Anonymous(),
                            .hedge_budget = 0});
  }

 private:
  int port_ = 0;
  pid_t pid_ = -1;
};

TEST(DelayingServer, SendsObjectsWithAChecksum) {
  const Serving serving(milliseconds(0));
  const Client client = serving.MakeClient();
  for (int i = 0; i < 3; ++i) {
    const auto read = client.ReadObject({"bench", "object"});
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, ContentOf(kBytes));
  }
}

TEST(DelayingServer, AnswersNoSoonerThanTheDelay) {
  const Serving serving(milliseconds(30));
  const Client client = serving.MakeClient();
  const auto start = Clock::now();
  ASSERT_TRUE(client.ReadObject({"bench", "object"}).ok());
  EXPECT_GE(Clock::now() - start, milliseconds(30));
}

TEST(DelayingServer, DelaysConcurrentReadsInParallel) {
  const Serving serving(milliseconds(250));
  const Downloader downloader(serving.MakeClient(), {.max_concurrency = 64});
  const DownloadSource source{
      .object = {"bench", "object"}, .size = kBytes, .generation = 1, .crc32c = Crc32c(ContentOf(kBytes))};
  const auto start = Clock::now();
  const auto batch = downloader.Download(std::vector(64, source));
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  EXPECT_LT(Clock::now() - start, milliseconds(64 * 250 / 2));  // One after the other they would take 16 s.
}

// A socket that has requested the object.
int Asked(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  constexpr std::string_view kRequest = "GET /object HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::send(socket, kRequest.data(), kRequest.size(), 0) != static_cast<ssize_t>(kRequest.size())) {
    ADD_FAILURE() << "the server is not there";
  }
  return socket;
}

// Its next sendfile() uses a connection that is shut down and reset, which raises SIGPIPE.
TEST(DelayingServer, SurvivesAClientThatDisconnectsDuringABody) {
  const Serving serving(milliseconds(0), std::size_t{64} << 20);  // more than sockets hold
  const int socket = Asked(serving.port());
  char byte = 0;
  ASSERT_EQ(::recv(socket, &byte, 1, 0), 1);  // The answer is under way.
  serving.Stop();
  ::shutdown(socket, SHUT_WR);
  ::close(socket);
  serving.Continue();
  const auto read = serving.MakeClient().ReadObject({"bench", "object"});
  EXPECT_TRUE(read.ok()) << read.error().message;
}

}  // namespace
}  // namespace gcsflux::bench
