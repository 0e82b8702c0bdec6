// A group over c10d's Gloo; each rank has a group of its own, on a thread.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "base/message.h"
#include "gcsflux/torch/collective.h"
#include "sharding/ranks/message_group.h"
#include "support/fails_with.h"
#include "support/full_listener.h"
#include "support/test_directory.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::chrono::milliseconds kMeeting = std::chrono::seconds(60);

RunEnvironment RankOf(int rank, int world_size) {
  RunEnvironment run;
  run.rank = rank;
  run.world_size = world_size;
  run.master_host = "127.0.0.1";
  return run;
}

std::uint16_t FreePort() { return testing::FullListener().port(); }

using Store = c10::intrusive_ptr<c10d::Store>;

// Runs `body` as each rank, on a thread for each.
template <class Body>
std::vector<std::string> OnProcesses(int world_size, const Body& body,
                                     const Store& store = c10::make_intrusive<c10d::HashStore>()) {
  std::vector<std::string> results(static_cast<std::size_t>(world_size));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < world_size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const auto group = JoinProcesses(RankOf(rank, world_size), store, kMeeting);
        results[static_cast<std::size_t>(rank)] = body(internal::MessagesOf(*group));
      } catch (const StorageError& failure) {
        results[static_cast<std::size_t>(rank)] = std::string("thrown: ") + failure.what();
      }
    });
  }
  threads.clear();
  return results;
}

template <class T>
std::string MessageOf(const Result<T>& result) {
  return result.ok() ? "no error" : result.error().message;
}

TEST(ProcessCollective, GathersScattersAndBroadcasts) {
  const std::string large(3'000'000, 'x');
  const auto results = OnProcesses(3, [&](internal::MessageGroup& group) -> std::string {
    const auto all = group.AllGather("of " + std::to_string(group.rank()));
    if (!all.ok()) return all.error().message;
    const auto told = group.Broadcast(group.rank() == 0 ? large : "");
    const auto own =
        group.Scatter(group.rank() == 0 ? std::vector<std::string>{"a", "", "c"} : std::vector<std::string>());
    const auto gathered = group.Gather(large);
    const auto barrier = group.Barrier();
    return all->at(0) + "," + all->at(2) + "," + (told.ok() && *told == large ? "told" : "") + "," + MessageOf(own) +
           "," + (own.ok() ? *own : "") + "," + MessageOf(gathered) + "," + MessageOf(barrier);
  });
  EXPECT_EQ(results[0], "of 0,of 2,told,no error,a,no error,no error");
  EXPECT_EQ(results[1], "of 0,of 2,told,no error,,no error,no error");
  EXPECT_EQ(results[2], "of 0,of 2,told,no error,c,no error,no error");
}

TEST(ProcessCollective, NamesHostAndProcessOfAnEndedRank) {
  const auto results = OnProcesses(3, [&](internal::MessageGroup& group) -> std::string {
    if (group.rank() == 1) return "";
    return MessageOf(group.Barrier());
  });
  for (const std::size_t rank : {0U, 2U}) {
    EXPECT_THAT(results[rank], AllOf(StartsWith("rank 1 ("), HasSubstr("process "), HasSubstr("has ended"),
                                     HasSubstr("start the job again")))
        << rank;
  }
}

TEST(ProcessCollective, NamesAnEndedRankDespiteALateOne) {
  std::atomic<bool> has_failed = false;
  const auto results = OnProcesses(3, [&](internal::MessageGroup& group) -> std::string {
    if (group.rank() == 2) return "";
    if (group.rank() == 1) {
      while (!has_failed) std::this_thread::yield();
      return MessageOf(group.Barrier());
    }
    const auto message = MessageOf(group.Barrier({.deadline = kMeeting}));
    has_failed = true;
    return message;
  });
  EXPECT_THAT(results[0], AllOf(StartsWith("rank 2 ("), HasSubstr("has ended")));
  EXPECT_EQ(results[1], results[0]);
  EXPECT_THAT(results[0], Not(HasSubstr(".cc"))) << "no lines of sources";
}

// As in a job that continues after a failure, with the remaining or restarted processes.
TEST(ProcessCollective, MeetsAgainInTheSameStoreAfterAFailure) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  for (int round = 0; round < 3; ++round) {
    const auto results = OnProcesses(
        3,
        [&](internal::MessageGroup& group) -> std::string {
          if (const auto first = group.Barrier(); !first.ok()) return first.error().message;
          if (group.rank() == 1) return "ends";
          return MessageOf(group.Barrier());
        },
        store);
    EXPECT_THAT(results[0], AllOf(StartsWith("rank 1 ("), HasSubstr("has ended"))) << round;
    EXPECT_EQ(results[1], "ends") << round;
    EXPECT_EQ(results[2], results[0]) << round;
  }
}

TEST(ProcessCollective, NamesMissingRanksOnAllRanks) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  std::vector<std::string> messages(2);
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 2; ++rank) {
      threads.emplace_back([&, rank] {
        messages[static_cast<std::size_t>(rank)] =
            ThrownBy([&] { JoinProcesses(RankOf(rank, 4), store, std::chrono::milliseconds(500)); }).message;
      });
    }
  }
  EXPECT_THAT(messages[0], StartsWith("rank 2, rank 3 did not come within 500 ms"));
  EXPECT_EQ(messages[1], messages[0]);
  const Error late = ThrownBy([&] { JoinProcesses(RankOf(2, 4), store, kMeeting); });
  EXPECT_EQ(late.message, messages[0]) << "it joins when the meeting is over";
}

TEST(ProcessCollective, NamesASilentRank) {
  std::atomic<int> failed = 0;
  const auto results = OnProcesses(3, [&](internal::MessageGroup& group) -> std::string {
    if (group.rank() == 2) {
      while (failed < 2) std::this_thread::yield();
      return "";
    }
    const auto message = MessageOf(group.Barrier({.deadline = std::chrono::milliseconds(100)}));
    ++failed;
    return message;
  });
  EXPECT_THAT(results[0], AllOf(StartsWith("rank 2 ("),
                                HasSubstr("gave no answer within the deadline of 100 ms; if it does not hang")));
  EXPECT_EQ(results[1], results[0]);
}

TEST(ProcessCollective, IsCancelledWhileItWaits) {
  std::stop_source stop;
  std::atomic<bool> is_waiting = false;
  const auto results = OnProcesses(2, [&](internal::MessageGroup& group) -> std::string {
    if (group.rank() == 0) {
      is_waiting = true;
      return MessageOf(group.Barrier({.stop = stop.get_token()}));
    }
    while (!is_waiting) std::this_thread::yield();
    stop.request_stop();
    return MessageOf(group.Barrier());
  });
  EXPECT_THAT(results[0], AllOf(StartsWith("rank 0 ("), HasSubstr("was cancelled")));
  EXPECT_EQ(results[1], results[0]);
}

TEST(ProcessCollective, NamesARankThatNeverStarts) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { JoinProcesses(RankOf(0, 2), store, std::chrono::milliseconds(50)); }),
                                 ErrorCode::kUnreachable, HasSubstr("rank 1 did not come within 50 ms")));
}

// Remembers how long a rank waits for rank 0 at least.
class PatientStore : public c10d::HashStore {
 public:
  using HashStore::wait;
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override {
    const bool is_for_rank0 = keys.front().find("group/") != std::string::npos;
    if (is_for_rank0) shortest = std::min(shortest.load(), timeout);
    HashStore::wait(keys, std::min<std::chrono::milliseconds>(timeout, kMeeting));  // Its own sum could overflow.
  }

  std::atomic<std::chrono::milliseconds> shortest = std::chrono::milliseconds::max();
};

TEST(ProcessCollective, WaitsWithoutLimitIfConfigured) {
  const auto store = c10::make_intrusive<PatientStore>();
  std::vector<std::string> messages(2, "not joined");
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 2; ++rank) {
      threads.emplace_back([&, rank] {
        std::string& message = messages[static_cast<std::size_t>(rank)];
        try {
          message = MessageOf(
              internal::MessagesOf(*JoinProcesses(RankOf(rank, 2), store, std::chrono::milliseconds::max())).Barrier());
        } catch (const StorageError& failure) {
          message = failure.what();
        }
      });
    }
  }
  EXPECT_THAT(messages, ::testing::ElementsAre("no error", "no error"));
  EXPECT_GT(store->shortest.load(), std::chrono::hours(1));
  EXPECT_LT(store->shortest.load(), std::chrono::milliseconds::max()) << "a store adds it to the present time";
}

TEST(ProcessStore, IsReachedWithAnInfiniteDeadline) {
  testing::TestDirectory directory;
  RunEnvironment run = RankOf(0, 2);
  run.master_port = FreePort();
  const auto server = OpenProcessStore(run, std::chrono::milliseconds::max());
  server->set("key", std::vector<std::uint8_t>{1});
  EXPECT_EQ(server->get("key"), std::vector<std::uint8_t>{1});
  run.store_file = (directory.path() / "store").string();
  const auto file = OpenProcessStore(run, std::chrono::milliseconds::max());
  file->set("key", std::vector<std::uint8_t>{2});
  EXPECT_EQ(file->get("key"), std::vector<std::uint8_t>{2});
}

TEST(ProcessStore, IsAFileOrAPort) {
  testing::TestDirectory directory;
  RunEnvironment run = RankOf(0, 2);
  run.store_file = (directory.path() / "store").string();
  OpenProcessStore(run)->set("key", std::vector<std::uint8_t>{1});
  run = RankOf(0, 2);
  run.master_port = FreePort();
  OpenProcessStore(run)->set("key", std::vector<std::uint8_t>{1});
  EXPECT_FALSE(OpenProcessStore(RankOf(0, 1)).defined()) << "one process needs none";
}

TEST(ProcessStore, NamesAWrongAddress) {
  RunEnvironment run = RankOf(1, 2);
  run.master_host = "";
  EXPECT_THAT(ThrownBy([&] { OpenProcessStore(run); }).message, HasSubstr("set MASTER_ADDR"));
  run.master_host = "no-such-host.invalid";
  run.master_port = 1;
  EXPECT_TRUE(testing::FailsWith(
      ThrownBy([&] { OpenProcessStore(run, std::chrono::milliseconds(100)); }), ErrorCode::kUnreachable,
      AllOf(HasSubstr("rank 1 does not reach rank 0 at no-such-host.invalid:1"), HasSubstr("MASTER_ADDR"))));
}

TEST(ProcessStore, ReportsAPortInUse) {
  const testing::FullListener other;
  RunEnvironment run = RankOf(0, 2);
  run.master_port = other.port();
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { OpenProcessStore(run, std::chrono::milliseconds(100)); }),
                                 ErrorCode::kUnreachable,
                                 AllOf(HasSubstr("rank 0 cannot serve the store of the job at 127.0.0.1:"),
                                       HasSubstr("MASTER_PORT is free on that host"))));
}

TEST(ProcessStore, ReportsThatRank0DoesNotServeIt) {
  RunEnvironment run = RankOf(1, 2);
  {
    const testing::FullListener gone;
    run.master_port = gone.port();
  }
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { OpenProcessStore(run, std::chrono::milliseconds(100)); }),
                                 ErrorCode::kUnreachable, HasSubstr("rank 1 does not reach rank 0 at 127.0.0.1:")));
}

TEST(ProcessStore, RefusesPort0) {
  RunEnvironment run = RankOf(0, 2);
  run.master_port = 0;
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { OpenProcessStore(run); }), ErrorCode::kInvalidArgument,
                                 HasSubstr("MASTER_PORT")));
}

// A variable of the environment, which no other thread reads meanwhile.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
};

TEST(ProcessStore, UsesTheStoreOfTorchrunsAgent) {
  c10d::TCPStoreOptions options;
  options.port = FreePort();
  options.isServer = true;
  options.waitWorkers = false;
  const auto agent = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
  const Variable use("TORCHELASTIC_USE_AGENT_STORE", "True");
  for (const char* const attempt : {"0", "1"}) {
    const Variable restarts("TORCHELASTIC_RESTART_COUNT", attempt);
    std::vector<std::string> messages(2);
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 2; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          RunEnvironment run = RankOf(rank, 2);
          run.launcher = "torchrun";
          run.master_port = options.port;
          const auto store = OpenProcessStore(run, kMeeting);
          messages[static_cast<std::size_t>(rank)] =
              MessageOf(internal::MessagesOf(*JoinProcesses(run, store, kMeeting)).Barrier());
        } catch (const StorageError& failure) {
          messages[static_cast<std::size_t>(rank)] = failure.what();
        }
      });
    }
    threads.clear();
    EXPECT_THAT(messages, ::testing::Each("no error")) << attempt;
    EXPECT_TRUE(agent->check({"/worker/attempt_" + std::string(attempt) + "/gcsflux/calls/1"})) << attempt;
  }
}

// A connection from outside the job. It sends these bytes, and no more.
class Stranger {
 public:
  explicit Stranger(std::uint16_t port, const std::string& bytes = std::string(1, '\0')) {
    sockaddr_in address{
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) std::abort();
    if (::send(socket_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) std::abort();
  }
  ~Stranger() { ::close(socket_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  // Waits until the other end closes the connection. False if it sends bytes, or nothing for a minute.
  [[nodiscard]] bool IsSentAway() const {
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    char byte = 0;
    const ssize_t received = ::recv(socket_, &byte, 1, 0);
    return received == 0 || (received < 0 && errno == ECONNRESET);
  }

 private:
  const int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

bool Answers(c10d::Store& store) {
  try {
    store.set("key", {1});
    store.wait({"key"}, std::chrono::milliseconds(100));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

TEST(ProcessStore, EndsDespiteAHalfRequestOfAStranger) {
  RunEnvironment run = RankOf(0, 2);
  run.master_port = FreePort();
  auto store = OpenProcessStore(run, kMeeting);
  const Stranger stranger(*run.master_port);
  while (Answers(*store)) continue;
  const auto begin = std::chrono::steady_clock::now();
  store.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(ProcessStore, TimesOutDespiteAHalfRequestOfAStranger) {
  RunEnvironment run = RankOf(0, 2);
  run.master_port = FreePort();
  const auto store = OpenProcessStore(run, kMeeting);
  const Stranger stranger(*run.master_port);
  while (Answers(*store)) continue;
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { JoinProcesses(run, store, std::chrono::milliseconds(100)); }),
                                 ErrorCode::kUnreachable,
                                 AllOf(HasSubstr("the store of the job gave no answer within 100 ms"),
                                       HasSubstr("only processes of the job connect to MASTER_PORT"))));
}

constexpr const char* kFirstMeeting = "gcsflux/group/1";

std::uint16_t PortOfMeeting(const Store& store) {
  store->wait({kFirstMeeting}, kMeeting);
  const auto bytes = store->get(kFirstMeeting);
  const std::string place(bytes.begin(), bytes.end());
  internal::MessageReader reader(place);
  for (int i = 0; i < 2; ++i) static_cast<void>(reader.Text());  // The failure and the address.
  return static_cast<std::uint16_t>(reader.Number());
}

std::string LengthOf(std::uint64_t bytes) {
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>((bytes >> (8 * i)) & 0xFFU);
  return length;
}

std::string Meet(int rank, const Store& store, std::chrono::milliseconds deadline) {
  try {
    return MessageOf(internal::MessagesOf(*JoinProcesses(RankOf(rank, 2), store, deadline)).Barrier());
  } catch (const StorageError& failure) {
    return failure.what();
  }
}

TEST(ProcessCollective, MeetsDespiteStrangersAtRank0) {
  const Store store = c10::make_intrusive<c10d::HashStore>();
  std::string of_rank0;
  std::jthread rank0([&] { of_rank0 = Meet(0, store, kMeeting); });
  const std::uint16_t port = PortOfMeeting(store);
  internal::MessageWriter hello;
  hello.Text("another secret");
  hello.Number(1);
  hello.Number(2);
  hello.Text("rank 1");
  const std::string wrong = hello.Take();
  const Stranger silent(port);
  for (const std::string& bytes : {LengthOf(0), LengthOf(4097), LengthOf(UINT64_MAX), LengthOf(1) + "x",
                                   LengthOf(wrong.size()) + wrong, std::string("GET / HTTP/1.1\r\n\r\n")}) {
    EXPECT_TRUE(Stranger(port, bytes).IsSentAway()) << bytes.size() << " bytes";
  }
  EXPECT_EQ(Meet(1, store, kMeeting), "no error");
  rank0.join();
  EXPECT_EQ(of_rank0, "no error");
}

TEST(ProcessCollective, NamesAMissingRankDespiteAStranger) {
  const Store store = c10::make_intrusive<c10d::HashStore>();
  std::string of_rank0;
  std::jthread rank0([&] { of_rank0 = Meet(0, store, std::chrono::milliseconds(1000)); });
  const Stranger silent(PortOfMeeting(store));
  rank0.join();
  EXPECT_THAT(of_rank0, StartsWith("rank 1 did not come within 1000 ms"));
}

// Rank 0 has ended, and another program has its port.
TEST(ProcessCollective, FailsInTimeIfAStrangerReplacesRank0) {
  struct Case {
    std::string sent;
    bool closes;
    const char* want;
  };
  for (const Case& one : {Case{LengthOf(UINT64_MAX), false, "the connection is closed"},
                          Case{LengthOf(std::uint64_t{1} << 40), false, "the connection is closed"},
                          Case{std::string(1, 'x'), false, "no answer within 50 ms"},
                          Case{std::string(1, 'x'), true, "the connection is closed"}}) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t length = sizeof(address);
    ASSERT_EQ(::listen(listener, 1), 0);  // At a port that the system chooses.
    ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
    internal::MessageWriter place;
    place.Text("");
    place.Text("127.0.0.1");
    place.Number(ntohs(address.sin_port));
    place.Text("secret");
    const std::string text = place.Take();
    const Store store = c10::make_intrusive<c10d::HashStore>();
    store->set(kFirstMeeting, std::vector<std::uint8_t>(text.begin(), text.end()));
    std::string message;
    std::jthread rank1([&] { message = Meet(1, store, std::chrono::milliseconds(50)); });
    const int accepted = ::accept(listener, nullptr, nullptr);
    ASSERT_EQ(::send(accepted, one.sent.data(), one.sent.size(), 0), static_cast<ssize_t>(one.sent.size()));
    if (one.closes) ::shutdown(accepted, SHUT_RDWR);
    rank1.join();
    EXPECT_THAT(message, AllOf(HasSubstr("rank 1 cannot talk with rank 0 at 127.0.0.1:"), HasSubstr(one.want)));
    ::close(accepted);
    ::close(listener);
  }
}

TEST(ProcessCollective, NamesRank0IfItNeverStarts) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { JoinProcesses(RankOf(1, 2), store, std::chrono::milliseconds(50)); }),
                                 ErrorCode::kUnreachable,
                                 AllOf(HasSubstr("rank 0 did not come within 50 ms"), HasSubstr("or start it"))));
}

}  // namespace
}  // namespace gcsflux
