#include "gcsflux/collective.h"

#include <algorithm>
#include <utility>

#include "base/message.h"
#include "base/process/no_time_limit.h"

namespace gcsflux {
namespace {

using internal::MessageReader;
using internal::MessageWriter;

constexpr std::uint64_t kData = 0;
constexpr std::uint64_t kFailure = 1;
constexpr int kNoRank = -1;
constexpr std::chrono::milliseconds kLeastPatience = std::chrono::seconds(2);
constexpr std::chrono::milliseconds kLastWords = std::chrono::seconds(1);  // For a rank that may have ended.

std::string_view NameOfCall(std::uint64_t call) {
  constexpr std::string_view kNames[] = {"no call", "Barrier", "Gather", "Broadcast", "Scatter", "AllGather"};
  return call < std::size(kNames) ? kNames[call] : "an unknown call";
}

bool IsFailure(std::string_view message) { return MessageReader(message).Number() == kFailure; }

}  // namespace

enum class Collective::Call : std::uint8_t { kNone, kBarrier, kGather, kBroadcast, kScatter, kAllGather };

std::string Collective::Label(int rank) const { return "rank " + std::to_string(rank); }

Collective::Patience Collective::Briefly() {
  return {.until = std::chrono::steady_clock::now() + kLastWords, .deadline = kLastWords, .stop = {}};
}

Result<Collective::Patience> Collective::Begin(Call call, const CollectiveLimits& limits) {
  if (failure_) return *failure_;
  call_ = call;
  ++calls_;
  if (limits.stop.stop_requested()) return Fail(rank(), {ErrorCode::kCancelled, "was cancelled"});
  // The others wait longer than rank 0, because rank 0 itself waits for all of them.
  const auto now = std::chrono::steady_clock::now();
  const auto deadline = internal::InNanoseconds(limits.deadline);
  const auto least = std::min(deadline, std::chrono::nanoseconds(kLeastPatience));
  const auto since = std::min(limits.since.value_or(now), now);
  const auto until = std::max(since + deadline, now + least);
  const auto more = std::max(deadline / 4, std::chrono::nanoseconds(kLeastPatience));
  return Patience{.until = rank() == 0 ? until : until + more, .deadline = limits.deadline, .stop = limits.stop};
}

Result<void> Collective::Put(int to, std::string_view payload, const Patience& patience) {
  MessageWriter message;
  message.Number(kData);
  message.Number(static_cast<std::uint64_t>(call_));
  message.Number(calls_);
  message.Text(payload);
  const auto sent = Send(to, message.Take(), patience);
  if (sent.ok()) return {};
  if (sent.error().code == ErrorCode::kCancelled) return Fail(to, sent.error());
  // If that rank has failed and ended, it has sent the reason before, perhaps after other messages.
  for (auto last = Receive(to, Briefly()); last.ok(); last = Receive(to, Briefly())) {
    if (IsFailure(*last)) return Told(to, *last);
  }
  return Fail(to, sent.error());
}

Result<std::string> Collective::Take(int from, const Patience& patience) {
  const auto message = Receive(from, patience);
  if (!message.ok()) return Fail(from, message.error());
  if (IsFailure(*message)) return Told(from, *message);
  MessageReader reader(*message);
  reader.Number();
  const std::uint64_t call = reader.Number();
  const std::uint64_t number = reader.Number();
  std::string payload = reader.String();
  if (reader.AtEnd() && call == static_cast<std::uint64_t>(call_) && number == calls_) return payload;
  return Fail(from, {ErrorCode::kInvalidArgument, "its call " + std::to_string(number) + " is " +
                                                      std::string(NameOfCall(call)) + ", and call " +
                                                      std::to_string(calls_) + " of " + Label(rank()) + " is " +
                                                      std::string(NameOfCall(static_cast<std::uint64_t>(call_))) +
                                                      "; all ranks must make the same calls in the same order"});
}

// This rank has found the failure. If it was cancelled, it is itself the failed rank, and not the rank that it waits
// for.
Error Collective::Fail(int peer, const Error& why) {
  const int culprit = why.code == ErrorCode::kCancelled ? rank() : peer;
  failure_ = Error{why.code, Label(culprit) + ": " + why.message};
  TellOthers(culprit, why, kNoRank);
  return *failure_;
}

// Another rank has found the failure and reports it. All ranks make the message from the same parts.
Error Collective::Told(int by, std::string_view message) {
  MessageReader reader(message);
  reader.Number();
  const std::uint64_t culprit = reader.Number();
  const Error why = internal::TakeError(reader);
  const bool is_rank = reader.AtEnd() && culprit < static_cast<std::uint64_t>(world_size());
  if (!is_rank) return Fail(by, {ErrorCode::kBadResponse, "its message cannot be read"});
  failure_ = Error{why.code, Label(static_cast<int>(culprit)) + ": " + why.message};
  TellOthers(static_cast<int>(culprit), why, by);
  return *failure_;
}

// A rank other than 0 tells rank 0, which tells all.
void Collective::TellOthers(int culprit, const Error& why, int but) {
  MessageWriter writer;
  writer.Number(kFailure);
  writer.Number(static_cast<std::uint64_t>(culprit));
  internal::PutError(writer, why);
  const std::string message = writer.Take();
  const int first = rank() == 0 ? 1 : 0;
  const int last = rank() == 0 ? world_size() - 1 : 0;
  for (int to = first; to <= last; ++to) {
    if (to == but) continue;
    static_cast<void>(Send(to, message, Briefly()).ok());  // It may have ended too.
  }
}

Result<std::vector<std::string>> Collective::TakeFromAll(std::string own, const Patience& patience) {
  std::vector<std::string> all;
  all.push_back(std::move(own));
  for (int from = 1; from < world_size(); ++from) {
    auto one = Take(from, patience);
    if (!one.ok()) return one.error();
    all.push_back(*std::move(one));
  }
  return all;
}

Result<std::vector<std::string>> Collective::Gather(std::string bytes, const CollectiveLimits& limits) {
  const auto patience = Begin(Call::kGather, limits);
  if (!patience.ok()) return patience.error();
  if (rank() == 0) return TakeFromAll(std::move(bytes), *patience);
  if (auto put = Put(0, bytes, *patience); !put.ok()) return put.error();
  return std::vector<std::string>();
}

Result<std::string> Collective::Broadcast(std::string bytes, const CollectiveLimits& limits) {
  const auto patience = Begin(Call::kBroadcast, limits);
  if (!patience.ok()) return patience.error();
  if (rank() != 0) return Take(0, *patience);
  for (int to = 1; to < world_size(); ++to) {
    if (auto put = Put(to, bytes, *patience); !put.ok()) return put.error();
  }
  return bytes;
}

Result<std::string> Collective::Scatter(std::vector<std::string> of_ranks, const CollectiveLimits& limits) {
  const auto patience = Begin(Call::kScatter, limits);
  if (!patience.ok()) return patience.error();
  if (rank() != 0) return Take(0, *patience);
  if (of_ranks.size() != static_cast<std::size_t>(world_size())) {
    return Fail(0, {ErrorCode::kInvalidArgument, "Scatter() needs one text for each rank"});
  }
  for (int to = 1; to < world_size(); ++to) {
    if (auto put = Put(to, of_ranks[static_cast<std::size_t>(to)], *patience); !put.ok()) return put.error();
  }
  return std::move(of_ranks.front());
}

Result<std::vector<std::string>> Collective::AllGather(std::string bytes, const CollectiveLimits& limits) {
  const auto patience = Begin(Call::kAllGather, limits);
  if (!patience.ok()) return patience.error();
  if (rank() != 0) {
    if (auto put = Put(0, bytes, *patience); !put.ok()) return put.error();
    const auto joined = Take(0, *patience);
    if (!joined.ok()) return joined.error();
    MessageReader reader(*joined);
    std::vector<std::string> all;
    all.reserve(static_cast<std::size_t>(world_size()));
    for (int from = 0; from < world_size(); ++from) all.push_back(reader.String());
    if (!reader.AtEnd()) return Fail(0, {ErrorCode::kBadResponse, "its message is not one of AllGather()"});
    return all;
  }
  auto all = TakeFromAll(std::move(bytes), *patience);
  if (!all.ok()) return all;
  MessageWriter writer;
  for (const std::string& one : *all) writer.Text(one);
  const std::string joined = writer.Take();
  for (int to = 1; to < world_size(); ++to) {
    if (auto put = Put(to, joined, *patience); !put.ok()) return put.error();
  }
  return all;
}

Result<void> Collective::Barrier(const CollectiveLimits& limits) {
  const auto patience = Begin(Call::kBarrier, limits);
  if (!patience.ok()) return patience.error();
  if (rank() != 0) {
    if (auto put = Put(0, "", *patience); !put.ok()) return put;
    const auto answer = Take(0, *patience);
    return answer.ok() ? Result<void>() : answer.error();
  }
  if (const auto all = TakeFromAll("", *patience); !all.ok()) return all.error();
  for (int to = 1; to < world_size(); ++to) {
    if (auto put = Put(to, "", *patience); !put.ok()) return put;
  }
  return {};
}

}  // namespace gcsflux
