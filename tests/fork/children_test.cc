// What a child of fork() can do with its parent's objects, one promise at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "fork/fork_fixture.h"
#include "support/recorded_events.h"

namespace gcsflux {
namespace {

using testing::Child;
using ::testing::EndsWith;
using testing::Failure;
using testing::InChild;
using ::testing::StartsWith;

class ChildrenTest : public testing::ForkTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    Start(GetParam());
    Put(16, 300'000);
    client_.emplace(*Client::Create(Options()));
  }

  std::optional<Client> client_;
};
INSTANTIATE_TEST_SUITE_P(Transports, ChildrenTest, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "Tls" : "Plain"; });

TEST_P(ChildrenTest, ReadOverTheirOwnConnections) {
  ASSERT_EQ(Read(*client_, 0), "");  // Its connection is idle now.
  const auto read_all = [this](std::size_t from) {
    for (std::size_t i = 0; i < 50; ++i) {
      if (auto failure = Read(*client_, (from + i) % count_); !failure.empty()) return failure;
    }
    return std::string();
  };
  Child one([&] { return read_all(3); });
  Child other([&] { return read_all(7); });
  EXPECT_EQ(read_all(0), "");
  EXPECT_EQ(one.Wait(), "");
  EXPECT_EQ(other.Wait(), "");
  EXPECT_EQ(client_->counters().retries, 0U);
}

TEST_P(ChildrenTest, KeepTheParentsConnectionIntact) {
  ASSERT_EQ(Read(*client_, 0), "");
  const auto sockets = testing::OpenSockets();
  ASSERT_FALSE(sockets.empty());
  EXPECT_EQ(InChild([&] {
              auto failure = Read(*client_, 1);
              client_.reset();  // and with it every handle that the child has
              return failure;
            }),
            "");
  EXPECT_EQ(Read(*client_, 2), "");
  EXPECT_EQ(testing::OpenSockets(), sockets) << "the parent had to connect again";
}

TEST_P(ChildrenTest, DropAnUnusedClient) {
  ASSERT_EQ(Read(*client_, 0), "");
  EXPECT_EQ(InChild([&] {
              client_.reset();
              return std::string();
            }),
            "");
  EXPECT_EQ(Read(*client_, 1), "");
}

TEST_P(ChildrenTest, HaveChildrenThatRead) {
  ASSERT_EQ(Read(*client_, 0), "");
  EXPECT_EQ(InChild([&] {
              if (auto failure = Read(*client_, 1); !failure.empty()) return failure;
              auto of_grandchild = InChild([&] { return Read(*client_, 2); });
              return of_grandchild.empty() ? Read(*client_, 3) : of_grandchild;
            }),
            "");
  EXPECT_EQ(Read(*client_, 4), "");
}

TEST_P(ChildrenTest, DownloadWithAParentsDownloader) {
  const Downloader downloader(*client_, {.max_concurrency = 4, .range_bytes = 100'000});
  ASSERT_EQ(DownloadAll(downloader), "");
  Child child([&] { return DownloadAll(downloader); });
  EXPECT_EQ(DownloadAll(downloader), "");
  EXPECT_EQ(child.Wait(), "");
}

TEST_P(ChildrenTest, FindTheirOwnNumberOfConnections) {
  const Downloader downloader(*client_, {.max_concurrency = 128, .adapts_concurrency = true, .range_bytes = 10'000});
  ASSERT_EQ(DownloadAll(downloader), "");
  Child child([&] { return DownloadAll(downloader); });
  EXPECT_EQ(DownloadAll(downloader), "");
  EXPECT_EQ(child.Wait(), "");
}

TEST_P(ChildrenTest, CountFromZero) {
  ASSERT_EQ(Read(*client_, 0), "");
  EXPECT_EQ(InChild([&] {
              if (client_->counters().requests != 0) return std::string("the parent's counters");
              if (auto failure = Read(*client_, 1); !failure.empty()) return failure;
              return client_->counters().requests == 1 ? "" : std::string("other counters");
            }),
            "");
  EXPECT_EQ(client_->counters().requests, 1U);
}

// The sink forks once, at its first piece; the child returns from it like the parent.
TEST_P(ChildrenTest, FailAReadOfTheParentAndReadAgain) {
  testing::ForkInCallback forking;
  std::string content;
  const ByteSink sink = [&](std::span<const std::byte> data) -> Result<void> {
    forking.Fork();
    content.append(reinterpret_cast<const char*>(data.data()), data.size());
    return {};
  };
  const auto read = client_->ReadObject(Name(5), sink);
  if (forking.is_child()) forking.End(Failure(read) + "; then '" + Read(*client_, 6) + "'");
  EXPECT_EQ(Failure(read), "");
  EXPECT_TRUE(content == Content(5, bytes_));
  const std::string said = forking.Wait();
  EXPECT_THAT(said, StartsWith("FORKED: objects.get gs://bkt/o5: fork()"));
  EXPECT_THAT(said, EndsWith("; then ''"));
  EXPECT_EQ(Read(*client_, 7), "");
}

TEST_P(ChildrenTest, ReadWhileASinkOfTheParentBlocks) {
  std::promise<void> in_sink;
  std::promise<void> go_on;
  std::jthread reader([&] {
    bool is_first = true;
    const ByteSink sink = [&](std::span<const std::byte>) -> Result<void> {
      if (std::exchange(is_first, false)) {
        in_sink.set_value();
        go_on.get_future().wait();
      }
      return {};
    };
    EXPECT_EQ(Failure(client_->ReadObject(Name(0), sink)), "");
  });
  in_sink.get_future().wait();
  EXPECT_EQ(InChild([&] { return Read(*client_, 1); }), "");
  go_on.set_value();
}

TEST_P(ChildrenTest, HaveTheirOwnInvocationIds) {
  const auto events = std::make_shared<testing::RecordedEvents>();
  ClientOptions options = Options();
  options.event_listener = events;
  const Client client = *Client::Create(options);
  ASSERT_EQ(Read(client, 0), "");
  const auto name_of_next = [&] {
    if (auto failure = Read(client, 1); !failure.empty()) return failure;
    return events->requests.back().call.invocation_id;
  };
  const std::string of_one = InChild(name_of_next);
  const std::string of_other = InChild(name_of_next);
  const std::string of_parent = name_of_next();
  EXPECT_EQ(of_one.size(), of_parent.size()) << of_one;
  EXPECT_NE(of_one, of_other);
  EXPECT_NE(of_one, of_parent);
  EXPECT_NE(of_other, of_parent);
}

}  // namespace
}  // namespace gcsflux
