#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "gcsflux/collective.h"

namespace gcsflux {
namespace {

/// The messages between the ranks of a group. Thread-safe.
class Mailboxes {
 public:
  Result<void> Put(int from, int to, std::string_view message) {
    const std::lock_guard lock(mutex_);
    if (ended_.contains(to)) return Ended();
    boxes_[{from, to}].emplace_back(message);
    changed_.notify_all();
    return {};
  }

  Result<std::string> Take(int from, int to, std::chrono::steady_clock::time_point until,
                           std::chrono::milliseconds deadline, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    std::deque<std::string>& box = boxes_[{from, to}];
    const bool has_news = changed_.wait_until(lock, stop, until, [&] { return !box.empty() || ended_.contains(from); });
    if (!box.empty()) {
      std::string message = std::move(box.front());
      box.pop_front();
      return message;
    }
    if (has_news) return Ended();
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "was cancelled"};
    return Error{ErrorCode::kUnavailable,
                 "gave no answer within the deadline of " + std::to_string(deadline.count()) + " ms"};
  }

  void End(int rank) {
    const std::lock_guard lock(mutex_);
    ended_.insert(rank);
    changed_.notify_all();
  }

 private:
  static Error Ended() { return {ErrorCode::kUnavailable, "has ended"}; }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::pair<int, int>, std::deque<std::string>> boxes_;  // By sender and receiver. Guarded by mutex_.
  std::set<int> ended_;                                           // Guarded by mutex_.
};

class ThreadRank final : public Collective {
 public:
  ThreadRank(int rank, int world_size, std::shared_ptr<Mailboxes> mail)
      : rank_(rank), world_size_(world_size), mail_(std::move(mail)) {}
  ~ThreadRank() override { mail_->End(rank_); }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }

 protected:
  Result<void> Send(int to, std::string_view message, const Patience&) override {
    return mail_->Put(rank_, to, message);
  }
  Result<std::string> Receive(int from, const Patience& patience) override {
    return mail_->Take(from, rank_, patience.until, patience.deadline, patience.stop);
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
