// The notice that a machine goes away, by a signal and by the metadata server.
#include "gcsflux/preemption_notice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <latch>
#include <string>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "support/fails_with.h"
#include "support/raw_server.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using testing::ErrorOf;
using ::testing::HasSubstr;

class PreemptionNoticeTest : public ::testing::Test {
 protected:
  PreemptionOptions OfMachine(std::string host) const {
    return {.on_sigterm = false,
            .on_metadata = true,
            .metadata_host = std::move(host),
            .poll_interval = std::chrono::milliseconds(1)};
  }
  [[nodiscard]] std::string Host() const { return emulator_.endpoint().substr(std::string("http://").size()); }
  void SetPreempted(bool is_preempted) {
    emulator::RawConnection connection(emulator_.endpoint());
    const std::string body = is_preempted ? R"({"preempted": true})" : R"({"preempted": false})";
    ASSERT_EQ(connection.Call("PUT", "/_emulator/machine", "", body).status, 200);
  }

  emulator::Emulator emulator_;
  const Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
};

void AwaitStop(const PreemptionNotice& notice) {
  std::latch told(1);
  const std::stop_callback on_stop(notice.token(), [&] { told.count_down(); });
  told.wait();
}

TEST_F(PreemptionNoticeTest, IsRaisedBySigterm) {
  const auto notice = PreemptionNotice::Watch(client_);
  ASSERT_TRUE(notice) << notice.error().message;
  EXPECT_FALSE(notice->cause());
  ::raise(SIGTERM);
  AwaitStop(*notice);
  EXPECT_EQ(notice->cause(), PreemptionCause::kSigterm);
}

TEST_F(PreemptionNoticeTest, LeavesLaterSigtermsToTheProgram) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "tsan ends children of a process with threads that start threads";
#endif
  const auto die_of_the_second = [&] {
    const auto notice = PreemptionNotice::Watch(client_);
    ::raise(SIGTERM);
    AwaitStop(*notice);
    ::raise(SIGTERM);
  };
  EXPECT_EXIT(die_of_the_second(), ::testing::KilledBySignal(SIGTERM), "");
  const auto die_after_the_watch = [&] {
    if (!PreemptionNotice::Watch(client_)) ::_exit(1);
    ::raise(SIGTERM);
  };
  EXPECT_EXIT(die_after_the_watch(), ::testing::KilledBySignal(SIGTERM), "");
}

TEST_F(PreemptionNoticeTest, WatchesSigtermOncePerProcess) {
  auto first = PreemptionNotice::Watch(client_);
  ASSERT_TRUE(first);
  EXPECT_EQ(ErrorOf(PreemptionNotice::Watch(client_)).code, ErrorCode::kInvalidArgument);
  { const PreemptionNotice ends = *std::move(first); }
  EXPECT_TRUE(PreemptionNotice::Watch(client_).ok());
}

TEST_F(PreemptionNoticeTest, DoesNotReachAChildOfFork) {
  const auto notice = PreemptionNotice::Watch(client_);
  ASSERT_TRUE(notice);
  const pid_t child = ::fork();
  if (child == 0) {
    while (true) ::poll(nullptr, 0, -1);  // tsan delivers no signal in pause().
  }
  ::kill(child, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(notice->token().stop_requested());
}

TEST_F(PreemptionNoticeTest, IsRaisedByTheMetadataServer) {
  const auto notice = PreemptionNotice::Watch(client_, OfMachine(Host()));
  ASSERT_TRUE(notice) << notice.error().message;
  EXPECT_FALSE(notice->cause());
  SetPreempted(true);
  AwaitStop(*notice);
  EXPECT_EQ(notice->cause(), PreemptionCause::kMetadata);
}

TEST_F(PreemptionNoticeTest, PollsOnceWithAnInfiniteInterval) {
  PreemptionOptions once = OfMachine(Host());
  once.poll_interval = std::chrono::milliseconds::max();
  const auto notice = PreemptionNotice::Watch(client_, once);
  const auto other = PreemptionNotice::Watch(client_, OfMachine(Host()));
  ASSERT_TRUE(notice && other);
  SetPreempted(true);
  AwaitStop(*other);
  EXPECT_FALSE(notice->cause());
}

TEST_F(PreemptionNoticeTest, IsRaisedAtOnceOnAPreemptedMachine) {
  SetPreempted(true);
  const auto notice = PreemptionNotice::Watch(client_, OfMachine(Host()));
  ASSERT_TRUE(notice);
  EXPECT_TRUE(notice->token().stop_requested());
}

std::string MetadataAnswer(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nMetadata-Flavor: Google\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + body;
}

TEST_F(PreemptionNoticeTest, IsRaisedAlthoughOneRequestGetsNoAnswer) {
  std::atomic<int> requests = 0;
  testing::RawServer server([&](testing::RawServer::Connection& c) {
    c.ReadHead();
    switch (++requests) {
      case 1: c.Send(MetadataAnswer("FALSE\n")); return;
      case 2: return c.WaitForClose();
      default: c.Send(MetadataAnswer("TRUE\n"));
    }
  });
  const auto notice = PreemptionNotice::Watch(client_, OfMachine(server.endpoint().substr(7)));
  ASSERT_TRUE(notice) << notice.error().message;
  AwaitStop(*notice);
  EXPECT_EQ(notice->cause(), PreemptionCause::kMetadata);
  EXPECT_GE(requests, 3);
}

TEST_F(PreemptionNoticeTest, FailsIfTheMetadataServerGivesNoAnswer) {
  testing::RawServer silent([](testing::RawServer::Connection& c) { c.WaitForClose(); });
  EXPECT_TRUE(testing::FailsWith(PreemptionNotice::Watch(client_, OfMachine(silent.endpoint().substr(7))),
                                 ErrorCode::kUnreachable, HasSubstr("gave no answer within 3000 ms")));
}

TEST_F(PreemptionNoticeTest, FailsWithoutAMetadataServer) {
  EXPECT_EQ(ErrorOf(PreemptionNotice::Watch(client_, OfMachine("127.0.0.1:1"))).code, ErrorCode::kUnreachable);
  testing::RawServer other(testing::Answering("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nTRUE"));
  EXPECT_TRUE(testing::FailsWith(PreemptionNotice::Watch(client_, OfMachine(other.endpoint().substr(7))),
                                 ErrorCode::kBadResponse, HasSubstr("GCE_METADATA_HOST")))
      << "TRUE from a server that is not a metadata server";
}

TEST_F(PreemptionNoticeTest, RefusesInvalidOptions) {
  const std::vector<PreemptionOptions> wrong = {
      {.on_sigterm = false}, {.poll_interval = std::chrono::milliseconds(0)}, OfMachine("metadata.example.com")};
  for (const PreemptionOptions& options : wrong) {
    EXPECT_EQ(ErrorOf(PreemptionNotice::Watch(client_, options)).code, ErrorCode::kInvalidArgument)
        << options.metadata_host;
  }
  EXPECT_TRUE(PreemptionNotice::Watch(client_).ok()) << "a refused one still watches";
}

}  // namespace
}  // namespace gcsflux
