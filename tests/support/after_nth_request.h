#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "gcsflux/events.h"

namespace gcsflux::testing {

/// Calls a function after the nth request, from 1. Thread-safe.
class AfterNthRequest : public EventListener {
 public:
  explicit AfterNthRequest(int number, std::function<void()> then = {}) : number_(number), then_(std::move(then)) {}
  void OnEvent(const Event& event) override {
    if (event.kind != EventKind::kRequest) return;
    if (++count_ == number_ && then_) then_();
  }
  [[nodiscard]] bool was_called() const { return count_ >= number_; }

 private:
  const int number_;
  const std::function<void()> then_;
  std::atomic<int> count_ = 0;
};

}  // namespace gcsflux::testing
