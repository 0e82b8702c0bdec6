#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/process/mutex.h"
#include "sharding/ranks/message_group.h"

namespace gcsflux {
namespace {

/// The messages between the ranks of a group. Thread-safe.
class Mailboxes {
 public:
  using Message = std::shared_ptr<const std::string>;
  struct Taken {
    std::optional<int> from;
    Result<std::string> message;
  };

  Result<void> Put(int from, int to, const Message& message) {
    const internal::MutexLock lock(mutex_);
    if (ended_.contains(to)) return Ended();
    boxes_[{from, to}].push_back(message);
    changed_.notify_all();
    return {};
  }

  Taken Take(std::span<const int> from, int to, std::chrono::steady_clock::time_point until,
             std::chrono::milliseconds deadline, const std::stop_token& stop) {
    internal::MutexLock lock(mutex_);
    std::optional<int> rank;
    changed_.wait_until(lock, stop, until,
                        [&]() REQUIRES(mutex_) { return (rank = FirstWithNews(from, to)).has_value(); });
    if (!rank) {
      if (stop.stop_requested()) return {rank, Error{ErrorCode::kCancelled, "was cancelled"}};
      return {rank, Error{ErrorCode::kUnavailable,
                          "gave no answer within the deadline of " + std::to_string(deadline.count()) + " ms"}};
    }
    std::deque<Message>& box = boxes_[{*rank, to}];
    if (box.empty()) return {rank, Ended()};
    const Message message = std::move(box.front());
    box.pop_front();
    return {rank, *message};
  }

  void End(int rank) {
    const internal::MutexLock lock(mutex_);
    ended_.insert(rank);
    changed_.notify_all();
  }

 private:
  std::optional<int> FirstWithNews(std::span<const int> from, int to) REQUIRES(mutex_) {
    const auto has_message = [&](int rank) REQUIRES(mutex_) { return !boxes_[{rank, to}].empty(); };
    auto found = std::find_if(from.begin(), from.end(), has_message);
    if (found == from.end())
      found = std::find_if(from.begin(), from.end(), [&](int rank) REQUIRES(mutex_) { return ended_.contains(rank); });
    return found == from.end() ? std::nullopt : std::optional(*found);
  }
  static Error Ended() { return {ErrorCode::kUnavailable, "has ended"}; }

  internal::Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::pair<int, int>, std::deque<Message>> boxes_ GUARDED_BY(mutex_);  // By sender and receiver.
  std::set<int> ended_ GUARDED_BY(mutex_);
};

class ThreadRank final : public internal::MessageGroup {
 public:
  ThreadRank(int rank, int world_size, std::shared_ptr<Mailboxes> mail)
      : rank_(rank), world_size_(world_size), mail_(std::move(mail)) {}
  ~ThreadRank() override { mail_->End(rank_); }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }

 protected:
  Result<void> Send(int to, const Message& message, const Patience&) override { return mail_->Put(rank_, to, message); }
  Arrival Receive(std::span<const int> from, const Patience& patience) override {
    auto taken = mail_->Take(from, rank_, patience.until, patience.deadline, patience.stop);
    return {taken.from.value_or(kNoRank), std::move(taken.message)};
  }

 private:
  const int rank_;
  const int world_size_;
  const std::shared_ptr<Mailboxes> mail_;
};

}  // namespace

std::vector<std::unique_ptr<Collective>> MakeThreadRanks(int world_size) {
  const auto mail = std::make_shared<Mailboxes>();
  std::vector<std::unique_ptr<Collective>> ranks;
  for (int rank = 0; rank < world_size; ++rank) {
    ranks.push_back(std::make_unique<ThreadRank>(rank, world_size, mail));
  }
  return ranks;
}

std::unique_ptr<Collective> MakeOneProcess() { return std::move(MakeThreadRanks(1).front()); }

}  // namespace gcsflux
