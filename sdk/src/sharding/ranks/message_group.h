#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/collective.h"

namespace gcsflux {

/// How long a call of a Collective waits.
struct CollectiveLimits {
  /// How long rank 0 waits for all others together. The others wait a quarter longer, and at least 2 s longer, so that
  /// rank 0 can tell them which rank is missing. Raise it if ranks begin a call at very different times.
  std::chrono::milliseconds deadline = std::chrono::seconds(60);
  std::stop_token stop = {};
  /// Start of the deadline. Set it if the call is one step of a longer operation. If it is absent or in the future, the
  /// deadline starts with the call. Each call has at least 2 s, or the whole deadline if that is shorter.
  std::optional<std::chrono::steady_clock::time_point> since = {};
};

}  // namespace gcsflux

namespace gcsflux::internal {

/// What ranks tell each other. Each call moves bytes through rank 0. Its errors are those of Collective.
class MessageGroup : public Collective {
 public:
  /// Returns when all ranks have called it.
  Result<void> Barrier(const CollectiveLimits& limits = {});
  /// Rank 0 gets the bytes of all ranks, in order of rank; the others get nothing.
  Result<std::vector<std::string>> Gather(std::string bytes, const CollectiveLimits& limits = {});
  /// All ranks get the bytes of rank 0. The argument of the other ranks is not used. Rank 0 makes one copy of the bytes
  /// for all receivers together.
  Result<std::string> Broadcast(std::string bytes, const CollectiveLimits& limits = {});
  /// Rank r gets the r-th of rank 0's texts. The argument of the other ranks is not used.
  Result<std::string> Scatter(std::vector<std::string> of_ranks, const CollectiveLimits& limits = {});
  /// All ranks get the bytes of all ranks, in order of rank.
  Result<std::vector<std::string>> AllGather(std::string bytes, const CollectiveLimits& limits = {});

 protected:
  /// How long a call waits for all of its messages. A message that has already arrived is accepted even after `until`.
  struct Patience {
    std::chrono::steady_clock::time_point until;
    std::chrono::milliseconds deadline;  ///< The caller's, for messages: the same on all ranks.
    std::stop_token stop;
  };

  /// Bytes that all their receivers share.
  using Message = std::shared_ptr<const std::string>;
  /// What came from a rank: its next message, or why there is none. `from` is kNoRank if the wait is over.
  struct Arrival {
    int from = kNoRank;
    Result<std::string> message;
  };
  static constexpr int kNoRank = -1;

  /// Begins to send one message. Messages between two ranks arrive in their order. Returns kUnavailable if the rank has
  /// ended.
  virtual Result<void> Send(int to, const Message& message, const Patience& patience) = 0;
  /// Returns when the messages sent are on their way, so that they arrive without further calls. The error of an
  /// arrival names the rank that has ended, or that takes nothing within `patience`. Nothing if all is well.
  virtual std::optional<Arrival> Flush(const Patience& /*patience*/) { return std::nullopt; }
  /// Waits for the next message of any of these ranks. Returns kUnavailable if one has ended and all of its messages
  /// have been received. If the wait is over, `from` is kNoRank, and the error is kUnavailable, or kCancelled if
  /// `patience` is stopped.
  virtual Arrival Receive(std::span<const int> from, const Patience& patience) = 0;

 private:
  enum class Call : std::uint8_t;
  template <class Body>
  auto Make(Call call, const CollectiveLimits& limits, const Body& body) -> decltype(body(Patience()));
  static Patience Briefly();
  Result<Patience> Begin(Call call, const CollectiveLimits& limits);
  [[nodiscard]] Message MakeMessage(std::string_view payload) const;
  Result<void> Put(int to, const Message& message, const Patience& patience);
  Result<void> PutToAll(const Message& message, const Patience& patience);
  Result<void> Finish(const Patience& patience);
  Error CannotPut(int to, const Error& why);
  Result<std::string> Take(int from, const Patience& patience);
  Result<std::string> Open(Arrival arrival, int awaited);
  Result<std::vector<std::string>> TakeFromAll(std::string own, bool is_answered, const Patience& patience);
  Error Fail(int peer, const Error& why);
  Error Told(int by, std::string_view message);
  void TellOthers(int culprit, const Error& why, int but);

  Call call_ = {};
  std::uint64_t calls_ = 0;
  std::optional<Error> failure_ = {};
};

/// Each Collective is one.
inline MessageGroup& MessagesOf(Collective& group) { return static_cast<MessageGroup&>(group); }

}  // namespace gcsflux::internal
