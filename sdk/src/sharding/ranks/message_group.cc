#include "sharding/ranks/message_group.h"

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <utility>

#include "base/message.h"
#include "base/process/no_time_limit.h"

namespace gcsflux {

std::string Collective::Label(int rank) const { return "rank " + std::to_string(rank); }

namespace internal {
namespace {

constexpr std::uint64_t kData = 0;
constexpr std::uint64_t kFailure = 1;
constexpr std::size_t kMostOfHead = 40;  // Four numbers.
constexpr std::chrono::milliseconds kLeastPatience = std::chrono::seconds(2);
constexpr std::chrono::milliseconds kLastWords = std::chrono::seconds(1);  // For a rank that may have ended.

std::string_view NameOfCall(std::uint64_t call) {
  constexpr std::string_view kNames[] = {"no call", "Barrier", "Gather", "Broadcast", "Scatter", "AllGather"};
  return call < std::size(kNames) ? kNames[call] : "an unknown call";
}

bool IsFailure(std::string_view message) { return MessageReader(message).Number() == kFailure; }

}  // namespace

enum class MessageGroup::Call : std::uint8_t { kNone, kBarrier, kGather, kBroadcast, kScatter, kAllGather };

MessageGroup::Patience MessageGroup::Briefly() {
  return {.until = std::chrono::steady_clock::now() + kLastWords, .deadline = kLastWords, .stop = {}};
}

Result<MessageGroup::Patience> MessageGroup::Begin(Call call, const CollectiveLimits& limits) {
  if (failure_) return *failure_;
  call_ = call;
  ++calls_;
  if (limits.stop.stop_requested()) return Fail(rank(), {ErrorCode::kCancelled, "was cancelled"});
  // The others wait longer than rank 0, because rank 0 itself waits for all of them.
  const auto now = std::chrono::steady_clock::now();
  const auto deadline = InNanoseconds(limits.deadline);
  const auto least = std::min(deadline, std::chrono::nanoseconds(kLeastPatience));
  const auto since = std::min(limits.since.value_or(now), now);
  const auto until = std::max(since + deadline, now + least);
  const auto more = std::max(deadline / 4, std::chrono::nanoseconds(kLeastPatience));
  return Patience{.until = rank() == 0 ? until : until + more, .deadline = limits.deadline, .stop = limits.stop};
}

// A rank that has no memory for a message tells the others, which would wait for it otherwise.
template <class Body>
auto MessageGroup::Make(Call call, const CollectiveLimits& limits, const Body& body) -> decltype(body(Patience())) {
  try {
    const auto patience = Begin(call, limits);
    if (!patience) return patience.error();
    return body(*patience);
  } catch (const std::exception& failure) {
    return Fail(rank(), {ErrorCode::kLocalIo, std::string("has no memory for a message (") + failure.what() + ")"});
  }
}

MessageGroup::Message MessageGroup::MakeMessage(std::string_view payload) const {
  MessageWriter message(payload.size() + kMostOfHead);
  message.Number(kData);
  message.Number(static_cast<std::uint64_t>(call_));
  message.Number(calls_);
  message.Text(payload);
  return std::make_shared<const std::string>(message.Take());
}

Result<void> MessageGroup::Put(int to, const Message& message, const Patience& patience) {
  const auto sent = Send(to, message, patience);
  return sent ? sent : CannotPut(to, sent.error());
}

Result<void> MessageGroup::PutToAll(const Message& message, const Patience& patience) {
  for (int to = 1; to < world_size(); ++to) {
    if (auto put = Put(to, message, patience); !put) return put;
  }
  return Finish(patience);
}

Result<void> MessageGroup::Finish(const Patience& patience) {
  const auto failed = Flush(patience);
  return failed ? CannotPut(failed->from, failed->message.error()) : Result<void>();
}

Error MessageGroup::CannotPut(int to, const Error& why) {
  if (why.code == ErrorCode::kCancelled) return Fail(to, why);
  // If that rank has failed and ended, it has sent the reason before, perhaps after other messages.
  const std::array from = {to};
  for (auto last = Receive(from, Briefly()); last.message.ok(); last = Receive(from, Briefly())) {
    if (IsFailure(*last.message)) return Told(to, *last.message);
  }
  return Fail(to, why);
}

Result<std::string> MessageGroup::Take(int from, const Patience& patience) {
  const std::array ranks = {from};
  return Open(Receive(ranks, patience), from);
}

// The payload of a message of the present call. `awaited` is the rank that is missing if nothing came.
Result<std::string> MessageGroup::Open(Arrival arrival, int awaited) {
  const int from = arrival.from == kNoRank ? awaited : arrival.from;
  if (!arrival.message) return Fail(from, arrival.message.error());
  std::string message = *std::move(arrival.message);
  if (IsFailure(message)) return Told(from, message);
  MessageReader reader(message);
  reader.Number();
  const std::uint64_t call = reader.Number();
  const std::uint64_t number = reader.Number();
  const std::string_view payload = reader.Text();
  if (reader.AtEnd() && call == static_cast<std::uint64_t>(call_) && number == calls_) {
    message.erase(0, message.size() - payload.size());  // Large messages are not copied.
    return message;
  }
  return Fail(from, {ErrorCode::kInvalidArgument, "its call " + std::to_string(number) + " is " +
                                                      std::string(NameOfCall(call)) + ", and call " +
                                                      std::to_string(calls_) + " of " + Label(rank()) + " is " +
                                                      std::string(NameOfCall(static_cast<std::uint64_t>(call_))) +
                                                      "; all ranks must make the same calls in the same order"});
}

// This rank has found the failure. If it was cancelled, it is itself the failed rank, and not the rank that it waits
// for.
Error MessageGroup::Fail(int peer, const Error& why) {
  const int culprit = why.code == ErrorCode::kCancelled ? rank() : peer;
  failure_ = Error{why.code, Label(culprit) + ": " + why.message};
  TellOthers(culprit, why, kNoRank);
  return *failure_;
}

// Another rank has found the failure and reports it. All ranks make the message from the same parts.
Error MessageGroup::Told(int by, std::string_view message) {
  MessageReader reader(message);
  reader.Number();
  const std::uint64_t culprit = reader.Number();
  const Error why = TakeError(reader);
  const bool is_rank = reader.AtEnd() && culprit < static_cast<std::uint64_t>(world_size());
  if (!is_rank) return Fail(by, {ErrorCode::kBadResponse, "its message cannot be read"});
  failure_ = Error{why.code, Label(static_cast<int>(culprit)) + ": " + why.message};
  TellOthers(static_cast<int>(culprit), why, by);
  return *failure_;
}

// A rank other than 0 tells rank 0, which tells all.
void MessageGroup::TellOthers(int culprit, const Error& why, int but) {
  MessageWriter writer;
  writer.Number(kFailure);
  writer.Number(static_cast<std::uint64_t>(culprit));
  writer.Put(why);
  const auto message = std::make_shared<const std::string>(writer.Take());
  const int first = rank() == 0 ? 1 : 0;
  const int last = rank() == 0 ? world_size() - 1 : 0;
  const Patience patience = Briefly();
  for (int to = first; to <= last; ++to) {
    if (to == but) continue;
    static_cast<void>(Send(to, message, patience).ok());  // It may have ended too.
  }
  static_cast<void>(Flush(patience));
}

// All are awaited at the same time. If the ranks get an answer, one that ends or fails after its message is noticed
// too.
Result<std::vector<std::string>> MessageGroup::TakeFromAll(std::string own, bool is_answered,
                                                           const Patience& patience) {
  std::vector<std::string> all(static_cast<std::size_t>(world_size()));
  all.front() = std::move(own);
  std::vector<int> others(all.size() - 1);
  std::iota(others.begin(), others.end(), 1);
  std::vector<int> missing = others;
  while (!missing.empty()) {
    auto arrival = Receive(is_answered ? others : missing, patience);
    const int from = arrival.from;
    auto one = Open(std::move(arrival), missing.front());
    if (!one) return one.error();
    std::erase(missing, from);
    all[static_cast<std::size_t>(from)] = *std::move(one);
  }
  return all;
}

Result<std::vector<std::string>> MessageGroup::Gather(std::string bytes, const CollectiveLimits& limits) {
  using Gathered = Result<std::vector<std::string>>;
  return Make(Call::kGather, limits, [&](const Patience& patience) -> Gathered {
    if (rank() == 0) return TakeFromAll(std::move(bytes), false, patience);
    if (auto put = Put(0, MakeMessage(bytes), patience); !put) return put.error();
    if (auto sent = Finish(patience); !sent) return sent.error();
    return std::vector<std::string>();
  });
}

Result<std::string> MessageGroup::Broadcast(std::string bytes, const CollectiveLimits& limits) {
  return Make(Call::kBroadcast, limits, [&](const Patience& patience) -> Result<std::string> {
    if (rank() != 0) return Take(0, patience);
    if (world_size() == 1) return std::move(bytes);
    if (auto put = PutToAll(MakeMessage(bytes), patience); !put) return put.error();
    return std::move(bytes);
  });
}

Result<std::string> MessageGroup::Scatter(std::vector<std::string> of_ranks, const CollectiveLimits& limits) {
  return Make(Call::kScatter, limits, [&](const Patience& patience) -> Result<std::string> {
    if (rank() != 0) return Take(0, patience);
    if (of_ranks.size() != static_cast<std::size_t>(world_size())) {
      return Fail(0, {ErrorCode::kInvalidArgument, "Scatter() needs one text for each rank"});
    }
    for (int to = 1; to < world_size(); ++to) {
      const auto message = MakeMessage(of_ranks[static_cast<std::size_t>(to)]);
      if (auto put = Put(to, message, patience); !put) return put.error();
    }
    if (auto sent = Finish(patience); !sent) return sent.error();
    return std::move(of_ranks.front());
  });
}

Result<std::vector<std::string>> MessageGroup::AllGather(std::string bytes, const CollectiveLimits& limits) {
  using Gathered = Result<std::vector<std::string>>;
  return Make(Call::kAllGather, limits, [&](const Patience& patience) -> Gathered {
    if (rank() != 0) {
      if (auto put = Put(0, MakeMessage(bytes), patience); !put) return put.error();
      if (auto sent = Finish(patience); !sent) return sent.error();
      const auto joined = Take(0, patience);
      if (!joined) return joined.error();
      MessageReader reader(*joined);
      std::vector<std::string> all;
      all.reserve(static_cast<std::size_t>(world_size()));
      for (int from = 0; from < world_size(); ++from) all.push_back(reader.String());
      if (!reader.AtEnd()) return Fail(0, {ErrorCode::kBadResponse, "its message is not one of AllGather()"});
      return all;
    }
    auto all = TakeFromAll(std::move(bytes), true, patience);
    if (!all) return all;
    MessageWriter writer;
    for (const std::string& one : *all) writer.Text(one);
    if (auto put = PutToAll(MakeMessage(writer.Take()), patience); !put) return put.error();
    return all;
  });
}

Result<void> MessageGroup::Barrier(const CollectiveLimits& limits) {
  return Make(Call::kBarrier, limits, [&](const Patience& patience) -> Result<void> {
    if (rank() != 0) {
      if (auto put = Put(0, MakeMessage(""), patience); !put) return put;
      if (auto sent = Finish(patience); !sent) return sent;
      const auto answer = Take(0, patience);
      return answer ? Result<void>() : answer.error();
    }
    if (const auto all = TakeFromAll("", true, patience); !all) return all.error();
    return PutToAll(MakeMessage(""), patience);
  });
}

}  // namespace internal

Result<void> Barrier(Collective& ranks, std::chrono::milliseconds deadline) {
  return internal::MessagesOf(ranks).Barrier({.deadline = deadline});
}

}  // namespace gcsflux
