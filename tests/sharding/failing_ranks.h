#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sharding/ranks/message_group.h"

namespace gcsflux::testing {

/// The failure of one rank of a group, at one of its messages.
struct RankFailure {
  int rank = -1;
  int message = 0;         ///< From 0: sent and received ones together.
  bool does_hang = false;  ///< It stops answering, and ends when the others have ended. Otherwise it ends at once.
};

/// Ranks as threads; one fails at any given message of the protocol.
class FailingRanks {
 public:
  FailingRanks(int world_size, RankFailure failure) : world_size_(world_size), failure_(failure) {}

  std::unique_ptr<internal::MessageGroup> Rank(int rank) { return std::make_unique<OneRank>(*this, rank); }
  [[nodiscard]] bool has_failed() {
    const std::scoped_lock lock(mutex_);
    return has_failed_;
  }

 private:
  class OneRank final : public internal::MessageGroup {
   public:
    OneRank(FailingRanks& ranks, int rank) : ranks_(ranks), rank_(rank) {}
    ~OneRank() override { ranks_.End(rank_); }
    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int world_size() const override { return ranks_.world_size_; }

   protected:
    Result<void> Send(int to, const Message& message, const Patience&) override {
      return ranks_.Put(rank_, to, *message);
    }
    Arrival Receive(std::span<const int> from, const Patience& patience) override {
      const auto rank = ranks_.Await(from, rank_, patience);
      if (!rank.ok()) return {kNoRank, rank.error()};
      return {*rank, ranks_.Take(*rank, rank_)};
    }

   private:
    FailingRanks& ranks_;
    const int rank_;
  };

  static Error Late(std::chrono::milliseconds deadline) {
    return {ErrorCode::kUnavailable,
            "gave no answer within the deadline of " + std::to_string(deadline.count()) + " ms"};
  }
  static Error Ended() { return {ErrorCode::kUnavailable, "has ended"}; }

  // With the lock. Whether the rank has failed, or fails now. A hanging one waits until it is alone.
  bool Fails(int rank, std::unique_lock<std::mutex>& lock) {
    if (rank != failure_.rank) return false;
    if (!has_failed_ && messages_++ < failure_.message) return false;
    has_failed_ = true;
    if (failure_.does_hang) {
      changed_.wait(lock, [this] { return ended_.size() + 1 >= static_cast<std::size_t>(world_size_); });
    }
    ended_.insert(rank);
    changed_.notify_all();
    return true;
  }

  Result<void> Put(int from, int to, std::string_view message) {
    std::unique_lock lock(mutex_);
    if (Fails(from, lock) || ended_.contains(to)) return Ended();
    boxes_[{from, to}].emplace_back(message);
    changed_.notify_all();
    return {};
  }
  // The first rank that has a message, or that has ended.
  Result<int> Await(std::span<const int> from, int to, const auto& patience) {
    std::unique_lock lock(mutex_);
    if (Fails(to, lock)) return Ended();
    const int* found = nullptr;
    changed_.wait_until(lock, patience.stop, patience.until, [&] {
      const int* const end = from.data() + from.size();
      found = std::find_if(from.data(), end, [&](int rank) { return !boxes_[{rank, to}].empty(); });
      if (found == end) found = std::find_if(from.data(), end, [&](int rank) { return ended_.contains(rank); });
      return found != end;
    });
    if (found == from.data() + from.size()) return Late(patience.deadline);
    return *found;
  }
  Result<std::string> Take(int from, int to) {
    const std::scoped_lock lock(mutex_);
    auto& box = boxes_[{from, to}];
    if (box.empty()) return Ended();
    std::string message = std::move(box.front());
    box.pop_front();
    return message;
  }
  void End(int rank) {
    const std::scoped_lock lock(mutex_);
    ended_.insert(rank);
    changed_.notify_all();
  }

  const int world_size_;
  const RankFailure failure_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::pair<int, int>, std::deque<std::string>>
      boxes_;  // By sender and receiver. By mutex_, as the next ones.
  std::set<int> ended_;
  int messages_ = 0;
  bool has_failed_ = false;
};

}  // namespace gcsflux::testing
