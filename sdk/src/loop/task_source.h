#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

namespace gcsflux::internal {

/// Something that has tasks to be done.
class TaskSource {
 public:
  virtual ~TaskSource() = default;
  /// The next task. Null if there is none at the moment. Several threads call it at the same time. The task keeps alive
  /// what it uses, and does not throw.
  virtual std::function<void()> Take() = 0;

 private:
  friend class TaskSourceQueue;
  std::uint64_t offers_ = 0;  // Guarded by the queue's owner.
};

/// TaskSources that may have tasks, each in its turn. For one thread at a time.
class TaskSourceQueue {
 public:
  /// The source whose turn it is, and how often it had been offered by then.
  struct Turn {
    std::shared_ptr<TaskSource> source = {};  ///< Null if there is none.
    std::uint64_t offers = 0;
  };

  [[nodiscard]] bool is_empty() const { return sources_.empty(); }

  /// The source may have tasks: it is asked until it has none.
  void Offer(const std::shared_ptr<TaskSource>& source) {
    ++source->offers_;
    if (std::find(sources_.begin(), sources_.end(), source) == sources_.end()) sources_.push_back(source);
  }
  Turn Next() {
    if (sources_.empty()) return {};
    std::rotate(sources_.begin(), sources_.begin() + 1, sources_.end());
    return {sources_.back(), sources_.back()->offers_};
  }
  /// The source had no task at its turn: it is left out until it is offered again. That may have happened meanwhile.
  void HadNothing(const Turn& turn) {
    if (turn.source->offers_ == turn.offers) std::erase(sources_, turn.source);
  }

 private:
  std::deque<std::shared_ptr<TaskSource>> sources_;  // Each once.
};

}  // namespace gcsflux::internal
