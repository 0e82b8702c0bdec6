// Exchanges that share one event loop, over real sockets.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "http/curl_transport.h"
#include "loop/event_loops.h"
#include "support/fails_with.h"
#include "support/full_listener.h"
#include "support/raw_server.h"

namespace {

// A name look-up that hangs: replaces getaddrinfo() for libcurl.
constexpr const char* kSlowHost = "slow.invalid";
std::counting_semaphore<8> slow_begun(0), slow_may_end(0);

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** found) {
  if (node != nullptr && std::strcmp(node, kSlowHost) == 0) {
    slow_begun.release();
    slow_may_end.acquire();
    return EAI_NONAME;
  }
  using Original = decltype(&getaddrinfo);
  static const auto original = reinterpret_cast<Original>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return original(node, service, hints, found);
}

namespace gcsflux::internal {
namespace {

using testing::RawServer;

// Ends before the server, which waits until its connections are closed.
class OneLoop {
 public:
  std::future<Result<HttpResponse>> Get(const std::string& url, const std::stop_token& stop = {}) {
    const auto done = std::make_shared<std::promise<Result<HttpResponse>>>();
    loops_.Spawn([this, done, url, stop] { done->set_value(transport_->Perform({.url = url}, nullptr, stop)); });
    return done->get_future();
  }

 private:
  // An unexpected late answer is detected by its time.
  const std::unique_ptr<Transport> transport_ = MakeCurlTransport({.stall_timeout = std::chrono::seconds(5)});
  EventLoops loops_{1};
};

void ServeOk(RawServer::Connection& c) {
  while (!c.ReadHead().empty()) c.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
}

TEST(CurlLoop, ContinuesDuringAHangingNameLookUp) {
  const RawServer server(ServeOk);
  OneLoop loop;
  std::stop_source stop;
  auto slow = loop.Get(std::string("http://") + kSlowHost + "/x", stop.get_token());
  slow_begun.acquire();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(loop.Get(server.endpoint() + "/x").get().ok());
  stop.request_stop();
  const auto cancelled = slow.get();  // Although the look-up continues.
  EXPECT_TRUE(testing::FailsWith(cancelled, ErrorCode::kCancelled));
  EXPECT_TRUE(loop.Get(server.endpoint() + "/x").get().ok());
  slow_may_end.release();
}

// The sockets that an epoll of this process watches, by their numbers there.
std::vector<int> WatchedSockets() {
  std::vector<int> sockets;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
    std::ifstream info(entry.path());
    std::string word;
    for (int descriptor = 0; info >> word;) {
      struct stat found = {};
      if (word != "tfd:" || !(info >> descriptor) || ::fstat(descriptor, &found) != 0) continue;
      if (S_ISSOCK(found.st_mode)) sockets.push_back(descriptor);
    }
  }
  return sockets;
}

// As a child process has one between fork() and exec().
TEST(CurlLoop, TakesAClosedConnectionOutOfEpollThoughACopyOfItIsOpen) {
  std::latch is_asked(1);
  const RawServer server([&](RawServer::Connection& c) {
    c.ReadHead();
    is_asked.count_down();
    c.ReadHead();  // until it is closed
  });
  OneLoop loop;
  std::stop_source stop;
  auto answer = loop.Get(server.endpoint() + "/x", stop.get_token());
  is_asked.wait();
  const std::vector<int> watched = WatchedSockets();
  ASSERT_EQ(watched.size(), 1U);
  const int copy = ::dup(watched.front());
  ASSERT_GE(copy, 0);
  stop.request_stop();
  EXPECT_TRUE(testing::FailsWith(answer.get(), ErrorCode::kCancelled));
  ASSERT_EQ(::dup2(copy, watched.front()), watched.front());  // so that its number is open, and is looked at
  EXPECT_THAT(WatchedSockets(), ::testing::IsEmpty());
  ::close(watched.front());
  ::close(copy);
}

TEST(CurlLoop, SharesConnectionsAmongItsFibers) {
  const RawServer server(ServeOk);
  OneLoop loop;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(loop.Get(server.endpoint() + "/x").get().ok());
  EXPECT_EQ(server.connections(), 1);
}

// libcurl closes an unfinished connection without a notice, and the next one reuses its descriptor's number.
TEST(CurlLoop, SurvivesAnAbandonedConnectionAttempt) {
  const RawServer server(testing::Answering("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"));
  const testing::FullListener full;
  OneLoop loop;
  for (int i = 0; i < 10; ++i) {
    const int before = full.Connecting();
    std::stop_source stop;
    auto never = loop.Get(full.endpoint() + "/x", stop.get_token());
    while (full.Connecting() == before) std::this_thread::yield();
    stop.request_stop();
    EXPECT_FALSE(never.get().ok());
    EXPECT_TRUE(loop.Get(server.endpoint() + "/x").get().ok()) << i;
  }
}

// Each connection reuses the descriptor's number of the previous one, which was closed.
TEST(CurlLoop, OpensANewConnectionAfterAClosedOne) {
  const RawServer server(testing::Answering("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"));
  OneLoop loop;
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(loop.Get(server.endpoint() + "/x").get().ok()) << i;
  EXPECT_EQ(server.connections(), 20);
}

TEST(CurlLoop, CarriesManyExchangesAtATime) {
  std::latch all_came(4);
  const RawServer server([&](RawServer::Connection& c) {
    c.ReadHead();
    all_came.arrive_and_wait();  // None is answered before all have arrived.
    c.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  OneLoop loop;
  std::vector<std::future<Result<HttpResponse>>> answers;
  answers.reserve(4);
  for (int i = 0; i < 4; ++i) answers.push_back(loop.Get(server.endpoint() + "/x"));
  for (auto& answer : answers) EXPECT_TRUE(answer.get().ok());
  EXPECT_EQ(server.connections(), 4);
}

}  // namespace
}  // namespace gcsflux::internal
