// The ranks of a job, connected over TCP with rank 0. They find rank 0 through c10d's store.
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <random>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <utility>
#include <vector>

#include "base/message.h"
#include "base/process/environment.h"
#include "checkpoints/run_identity.h"
#include "gcsflux/torch/collective.h"
#include "sharding/ranks/message_group.h"
#include "torch/failure.h"
#include "torch/processes/longest_wait.h"
#include "torch/processes/rank_link.h"

namespace gcsflux {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;
using internal::MessageReader;
using internal::MessageWriter;
using RankMessage = std::shared_ptr<const std::string>;

constexpr Milliseconds kToReadOne(100);  // For a message that has arrived.
constexpr Milliseconds kToTell(1000);
constexpr Milliseconds kLeastForOutcome(2000);
constexpr std::uint64_t kLongestHello = 4096;
constexpr std::size_t kMostStrangers = 256;
constexpr const char* kPrefix = "gcsflux";

std::string Within(Milliseconds deadline) { return "within " + std::to_string(deadline.count()) + " ms"; }

/// Sends messages over a connection to each rank that it talks with: rank 0 to all, the others to rank 0.
class ProcessCollective final : public internal::MessageGroup {
 public:
  ProcessCollective(int rank, std::vector<std::string> labels, std::map<int, RankLink> links)
      : rank_(rank), labels_(std::move(labels)), links_(std::move(links)) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return static_cast<int>(labels_.size()); }
  [[nodiscard]] std::string Label(int rank) const override { return labels_.at(static_cast<std::size_t>(rank)); }

 protected:
  Result<void> Send(int to, const Message& message, const Patience&) override {
    RankLink& link = links_.at(to);
    if (link.is_broken()) return Ended();
    link.Send(message);
    return {};
  }

  std::optional<Arrival> Flush(const Patience& patience) override {
    std::vector<RankLink*> all;
    for (auto& [rank, link] : links_) all.push_back(&link);
    while (true) {
      int awaited = kNoRank;
      for (auto& [rank, link] : links_) {
        if (!link.has_unsent()) continue;
        if (link.is_broken()) return Arrival{rank, Ended()};
        awaited = rank;
      }
      if (awaited == kNoRank) return std::nullopt;
      const Traffic traffic = AwaitTraffic(all, nullptr, patience.until, patience.stop);
      if (traffic != Traffic::kMoved) return Arrival{awaited, NotInTime(traffic, patience)};
    }
  }

  Arrival Receive(std::span<const int> from, const Patience& patience) override {
    std::vector<RankLink*> links;
    for (const int rank : from) links.push_back(&links_.at(rank));
    const auto until = std::max(patience.until, Clock::now() + kToReadOne);
    while (true) {
      for (std::size_t i = 0; i < links.size(); ++i) {
        if (auto message = links[i]->Take()) return {from[i], *std::move(message)};
      }
      const auto ended = std::find_if(links.begin(), links.end(), [](RankLink* link) { return link->has_ended(); });
      if (ended != links.end()) return {from[static_cast<std::size_t>(ended - links.begin())], Ended()};
      const Traffic traffic = AwaitTraffic(links, nullptr, until, patience.stop);
      if (traffic != Traffic::kMoved) return {kNoRank, NotInTime(traffic, patience)};
    }
  }

 private:
  static Error Ended() {
    return {ErrorCode::kUnavailable,
            "has ended, or its connection is broken; look at its log, and start the job again"};
  }
  static Error NotInTime(Traffic traffic, const Patience& patience) {
    if (traffic == Traffic::kStopped) return {ErrorCode::kCancelled, "was cancelled"};
    return {ErrorCode::kUnavailable, "gave no answer within the deadline of " +
                                         std::to_string(patience.deadline.count()) +
                                         " ms; if it does not hang, raise the deadline, else start the job again"};
  }

  const int rank_;
  const std::vector<std::string> labels_;
  std::map<int, RankLink> links_;
};

std::string OwnLabel(int rank) {
  const internal::RunIdentity identity = internal::MakeRunIdentity();
  return "rank " + std::to_string(rank) + " (" + identity.host + ", process " + std::to_string(identity.process) + ")";
}

std::string NewToken() {
  std::random_device random;
  std::string token;
  while (token.size() < 32) token += static_cast<char>(random() & 0xFFU);
  return token;
}

/// Where rank 0 waits for the others, or why they do not meet.
struct MeetingPlace {
  std::string address = {};
  std::uint16_t port = 0;
  std::string token = {};
  std::string failure = {};
};

std::string FormatPlace(const MeetingPlace& place) {
  MessageWriter writer;
  writer.Text(place.failure);
  writer.Text(place.address);
  writer.Number(place.port);
  writer.Text(place.token);
  return writer.Take();
}

MeetingPlace ParsePlace(std::string_view bytes) {
  MessageReader reader(bytes);
  MeetingPlace place;
  place.failure = reader.String();
  place.address = reader.String();
  place.port = static_cast<std::uint16_t>(reader.Number());
  place.token = reader.String();
  return place;
}

/// What a rank says first on its connection.
struct Hello {
  std::string token = {};
  std::uint64_t rank = 0;
  std::uint64_t world_size = 0;
  std::string label = {};
};

RankMessage FormatHello(const Hello& hello) {
  MessageWriter writer;
  writer.Text(hello.token);
  writer.Number(hello.rank);
  writer.Number(hello.world_size);
  writer.Text(hello.label);
  return std::make_shared<const std::string>(writer.Take());
}

std::optional<Hello> ParseHello(std::string_view bytes) {
  MessageReader reader(bytes);
  Hello hello{.token = reader.String(), .rank = reader.Number(), .world_size = reader.Number()};
  hello.label = reader.String();
  return reader.AtEnd() ? std::optional(std::move(hello)) : std::nullopt;
}

/// How a meeting ended, for all ranks the same: their labels, or the failure.
RankMessage FormatOutcome(const std::vector<std::string>& labels, const std::string& failure) {
  MessageWriter writer;
  writer.Text(failure);
  for (const std::string& label : labels) writer.Text(label);
  return std::make_shared<const std::string>(writer.Take());
}

StorageError NoMeeting(const std::string& why) { return Failure(ErrorCode::kUnreachable, why); }

/// The part of c10d's store that belongs to one group. Throws StorageError.
class MeetingStore {
 public:
  MeetingStore(const c10::intrusive_ptr<c10d::Store>& store, int rank, Clock::time_point until, Milliseconds deadline)
      : store_(c10::make_intrusive<c10d::PrefixStore>(kPrefix, store)), until_(until), deadline_(deadline) {
    // If the store answers nothing, this wait ends at the deadline; other operations of a TCPStore would not.
    const std::string own = "came/" + std::to_string(rank);
    Use([&] {
      store_->set(own, {1});
      return store_->wait({own}, Left()), true;
    });
    // The number of this rank's calls of JoinProcesses(): the n-th call of each rank makes the n-th group.
    key_ = "group/" + std::to_string(Use([&] { return store_->add("calls/" + std::to_string(rank), 1); }));
  }

  void Announce(const MeetingPlace& place) {
    const std::string text = FormatPlace(place);
    Use([&] { return store_->set(key_, {text.begin(), text.end()}), true; });
  }
  /// Waits for rank 0's announcement.
  MeetingPlace Find() {
    try {
      store_->wait({key_}, Left());
    } catch (const std::exception&) {
      throw NoMeeting("rank 0 did not come " + Within(deadline_) + "; look at the log of that process, or start it");
    }
    return Use([&] {
      const auto bytes = store_->get(key_);
      return ParsePlace(std::string(bytes.begin(), bytes.end()));
    });
  }

 private:
  [[nodiscard]] Milliseconds Left() const {
    return std::max(std::chrono::ceil<Milliseconds>(until_ - Clock::now()), Milliseconds(1));
  }
  template <class Operation>
  auto Use(const Operation& operation) -> decltype(operation()) {
    try {
      return operation();
    } catch (const std::exception&) {
      throw NoMeeting("the store of the job gave no answer " + Within(deadline_) +
                      "; check that rank 0 runs, and that only processes of the job connect to MASTER_PORT");
    }
  }

  const c10::intrusive_ptr<c10d::Store> store_;
  const Clock::time_point until_;
  const Milliseconds deadline_;
  std::string key_;
};

std::string AddressOfInterface(const std::string& name) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return "";
  std::string found;
  for (const ifaddrs* one = all; one != nullptr && found.empty(); one = one->ifa_next) {
    if (one->ifa_addr == nullptr || name != one->ifa_name) continue;
    const int family = one->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    std::array<char, NI_MAXHOST> address{};
    const socklen_t length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (::getnameinfo(one->ifa_addr, length, address.data(), static_cast<socklen_t>(address.size()), nullptr, 0,
                      NI_NUMERICHOST) == 0) {
      found = address.data();
    }
  }
  ::freeifaddrs(all);
  return found;
}

// At the address by which the others know this machine.
RankSocket ListenOnRank0(const RunEnvironment& run) {
  std::vector<std::string> hosts;
  if (const auto interface = internal::ProcessEnv("GLOO_SOCKET_IFNAME"); interface && !interface->empty()) {
    const std::string address = AddressOfInterface(*interface);
    if (address.empty()) {
      throw NoMeeting("the network interface '" + *interface + "' has no address; correct GLOO_SOCKET_IFNAME");
    }
    hosts = {address};
  } else if (!run.store_file.empty()) {
    hosts = {"127.0.0.1"};
  } else {
    std::array<char, NI_MAXHOST> own{};
    ::gethostname(own.data(), own.size() - 1);
    if (!run.master_host.empty()) hosts.push_back(run.master_host);
    hosts.emplace_back(own.data());
  }
  std::string why;
  for (const std::string& host : hosts) {
    auto listening = RankSocket::Listen(host);
    if (listening) return *std::move(listening);
    why += (why.empty() ? "" : "; ") + listening.error().message;
  }
  throw NoMeeting("rank 0 has no address at which the others can reach it (" + why +
                  "); set GLOO_SOCKET_IFNAME to the network interface that the ranks share");
}

/// Rank 0 during a meeting: takes connections until all ranks have said who they are.
class Meeting {
 public:
  Meeting(const RankSocket& listener, std::string token, int world_size, std::string own_label)
      : listener_(listener), token_(std::move(token)), labels_(static_cast<std::size_t>(world_size)) {
    labels_.front() = std::move(own_label);
  }

  /// Why not all ranks came. Empty if they did.
  std::string Await(Clock::time_point until, Milliseconds deadline) {
    while (links_.size() + 1 < labels_.size()) {
      std::vector<RankLink*> all;
      for (auto& [rank, link] : links_) all.push_back(&link);
      for (RankLink& stranger : strangers_) all.push_back(&stranger);
      if (AwaitTraffic(all, &listener_, until, {}) == Traffic::kLate) return Missing(deadline);
      for (auto& [rank, link] : links_) {
        if (link.has_ended()) return labels_[static_cast<std::size_t>(rank)] + " has ended while the ranks met";
      }
      TakeHellos();
      for (RankSocket next = listener_.Accept(); next.is_open(); next = listener_.Accept()) {
        if (strangers_.size() == kMostStrangers) strangers_.erase(strangers_.begin());
        strangers_.emplace_back(std::move(next), kLongestHello);
      }
    }
    return "";
  }

  void Tell(const std::string& failure) {
    const RankMessage outcome = FormatOutcome(labels_, failure);
    std::vector<RankLink*> all;
    for (auto& [rank, link] : links_) {
      link.Send(outcome);
      all.push_back(&link);
    }
    const auto is_on_its_way = [](RankLink* link) { return !link->has_unsent() || link->is_broken(); };
    const auto until = Clock::now() + kToTell;
    while (!std::all_of(all.begin(), all.end(), is_on_its_way)) {
      if (AwaitTraffic(all, nullptr, until, {}) == Traffic::kLate) break;
    }
  }

  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }
  std::map<int, RankLink> TakeLinks() && { return std::move(links_); }

 private:
  [[nodiscard]] std::string Missing(Milliseconds deadline) const {
    std::string ranks;
    for (int rank = 1; rank < static_cast<int>(labels_.size()); ++rank) {
      if (!links_.contains(rank)) ranks += (ranks.empty() ? "rank " : ", rank ") + std::to_string(rank);
    }
    return ranks + " did not come " + Within(deadline) + "; look at the log of that process, or start it";
  }

  void TakeHellos() {
    std::vector<RankLink> still;
    for (RankLink& stranger : strangers_) {
      const auto message = stranger.Take();
      if (message)
        Welcome(std::move(stranger), ParseHello(*message));
      else if (!stranger.has_ended())
        still.push_back(std::move(stranger));
    }
    strangers_ = std::move(still);
  }

  void Welcome(RankLink stranger, const std::optional<Hello>& hello) {
    if (!hello || hello->token != token_) return;
    const auto rank = static_cast<std::size_t>(hello->rank);
    if (rank == 0 || rank >= labels_.size() || hello->world_size != labels_.size() ||
        links_.contains(static_cast<int>(rank))) {
      const std::string why = hello->label + " says that it is one of " + std::to_string(hello->world_size) +
                              " ranks; another process has this rank, or the ranks differ in the size of the job";
      stranger.Send(FormatOutcome({}, why));
      return;
    }
    labels_[rank] = hello->label;
    stranger.set_longest(UINT64_MAX);
    links_.emplace(static_cast<int>(rank), std::move(stranger));
  }

  const RankSocket& listener_;
  const std::string token_;
  std::vector<std::string> labels_;
  std::map<int, RankLink> links_;
  std::vector<RankLink> strangers_;  // Have not said who they are.
};

std::unique_ptr<Collective> MeetOnRank0(const RunEnvironment& run, MeetingStore& store, Clock::time_point until,
                                        Milliseconds deadline) {
  const RankSocket listener = ListenOnRank0(run);
  const MeetingPlace place{.address = listener.address(), .port = listener.port(), .token = NewToken()};
  store.Announce(place);
  Meeting meeting(listener, place.token, run.world_size, OwnLabel(0));
  const std::string failure = meeting.Await(until, deadline);
  meeting.Tell(failure);
  if (!failure.empty()) {
    store.Announce({.failure = failure});  // For ranks that come later.
    throw NoMeeting(failure);
  }
  return std::make_unique<ProcessCollective>(0, meeting.labels(), std::move(meeting).TakeLinks());
}

std::unique_ptr<Collective> MeetRank0(const RunEnvironment& run, MeetingStore& store, Milliseconds deadline) {
  const MeetingPlace place = store.Find();
  if (!place.failure.empty()) throw NoMeeting(place.failure);
  const std::string where = place.address + ":" + std::to_string(place.port);
  const auto no_connection = [&](const std::string& why) {
    const MeetingPlace now = store.Find();
    return NoMeeting(now.failure.empty()
                         ? "rank " + std::to_string(run.rank) + " cannot talk with rank 0 at " + where + ": " + why +
                               "; look at the log of rank 0, or set GLOO_SOCKET_IFNAME on it to the "
                               "network interface that the ranks share"
                         : now.failure);
  };
  auto socket = RankSocket::Connect(place.address, place.port);
  if (!socket) throw no_connection(socket.error().message);
  // The outcome has the labels of all ranks. A stranger may have the port of a rank 0 that has ended.
  RankLink link(*std::move(socket), kLongestHello * (static_cast<std::uint64_t>(run.world_size) + 1));
  link.Send(FormatHello({.token = place.token,
                         .rank = static_cast<std::uint64_t>(run.rank),
                         .world_size = static_cast<std::uint64_t>(run.world_size),
                         .label = OwnLabel(run.rank)}));
  // Rank 0 waits for all others until its own deadline, and then says which one is missing.
  const auto until = Clock::now() + deadline + std::max(deadline / 4, kLeastForOutcome);
  const std::array links = {&link};
  std::optional<std::string> outcome = link.Take();
  for (; !outcome; outcome = link.Take()) {
    if (link.has_ended()) throw no_connection("the connection is closed");
    if (AwaitTraffic(links, nullptr, until, {}) == Traffic::kLate) throw no_connection("no answer " + Within(deadline));
  }
  MessageReader reader(*outcome);
  if (const std::string failure = reader.String(); !failure.empty()) throw NoMeeting(failure);
  std::vector<std::string> labels;
  for (int rank = 0; rank < run.world_size; ++rank) labels.push_back(reader.String());
  if (!reader.AtEnd()) throw no_connection("its answer is none of this library");
  link.set_longest(UINT64_MAX);
  std::map<int, RankLink> to_rank0;
  to_rank0.emplace(0, std::move(link));
  return std::make_unique<ProcessCollective>(run.rank, std::move(labels), std::move(to_rank0));
}

}  // namespace

std::unique_ptr<Collective> JoinProcesses(const RunEnvironment& run, const c10::intrusive_ptr<c10d::Store>& store,
                                          std::chrono::milliseconds deadline) {
  if (run.world_size == 1) return MakeOneProcess();
  deadline = AtMostACentury(deadline);
  const auto until = Clock::now() + deadline;
  MeetingStore meeting(store, run.rank, until, deadline);
  return run.rank == 0 ? MeetOnRank0(run, meeting, until, deadline) : MeetRank0(run, meeting, deadline);
}

}  // namespace gcsflux
