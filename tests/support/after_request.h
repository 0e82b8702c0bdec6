#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "gcsflux/events.h"

namespace gcsflux::testing {

/// Calls a function once, when the next request of an operation on a subject has its answer. Thread-safe.
class AfterRequest : public EventListener {
 public:
  /// `subject` is a part of the event's; "" is in each.
  explicit AfterRequest(std::string operation, std::string subject = "", std::function<void()> then = {})
      : operation_(std::move(operation)), subject_(std::move(subject)), then_(std::move(then)) {}
  void Call(std::function<void()> then) {
    const std::scoped_lock lock(mutex_);
    then_ = std::move(then);
  }
  void OnEvent(const Event& event) override {
    if (event.kind != EventKind::kRequest || event.operation != operation_) return;
    if (event.subject.find(subject_) == std::string::npos) return;
    std::function<void()> then;
    {
      const std::scoped_lock lock(mutex_);
      then = std::exchange(then_, nullptr);
    }
    if (then) then();
  }

 private:
  const std::string operation_;
  const std::string subject_;
  std::mutex mutex_;
  std::function<void()> then_;  // Guarded by mutex_.
};

}  // namespace gcsflux::testing
