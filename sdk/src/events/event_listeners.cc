// CombineListeners: one listener for several.
#include <algorithm>
#include <exception>
#include <utility>

#include "gcsflux/events.h"

namespace gcsflux {
namespace {

class Combined : public EventListener {
 public:
  explicit Combined(std::vector<std::shared_ptr<EventListener>> listeners) : listeners_(std::move(listeners)) {}

  void OnRequest(const RequestEvent& event) override { Tell(&EventListener::OnRequest, event); }
  void OnRetry(const RetryEvent& event) override { Tell(&EventListener::OnRetry, event); }
  void OnFailure(const FailureEvent& event) override { Tell(&EventListener::OnFailure, event); }
  void OnBudget(const BudgetEvent& event) override { Tell(&EventListener::OnBudget, event); }
  void OnThrottle(const ThrottleEvent& event) override { Tell(&EventListener::OnThrottle, event); }
  void OnStall(const StallEvent& event) override { Tell(&EventListener::OnStall, event); }
  void OnHedge(const HedgeEvent& event) override { Tell(&EventListener::OnHedge, event); }
  void OnTokenRefresh(const TokenEvent& event) override { Tell(&EventListener::OnTokenRefresh, event); }
  void OnUnverifiedRead(const UnverifiedReadEvent& event) override { Tell(&EventListener::OnUnverifiedRead, event); }
  void OnThreadShortage(const ThreadShortageEvent& event) override { Tell(&EventListener::OnThreadShortage, event); }
  void OnCompositionRefused(const CompositionRefusedEvent& event) override {
    Tell(&EventListener::OnCompositionRefused, event);
  }

 private:
  // If one throws, the others still get the event; the client counts the first exception.
  template <class Event>
  void Tell(void (EventListener::*callback)(const Event&), const Event& event) {
    std::exception_ptr thrown;
    for (const auto& listener : listeners_) {
      try {
        (*listener.*callback)(event);
      } catch (...) {
        if (!thrown) thrown = std::current_exception();
      }
    }
    if (thrown) std::rethrow_exception(thrown);
  }

  const std::vector<std::shared_ptr<EventListener>> listeners_;
};

}  // namespace

std::shared_ptr<EventListener> CombineListeners(std::vector<std::shared_ptr<EventListener>> listeners) {
  listeners.erase(std::remove(listeners.begin(), listeners.end(), nullptr), listeners.end());
  if (listeners.empty()) return nullptr;
  if (listeners.size() == 1) return listeners.front();
  return std::make_shared<Combined>(std::move(listeners));
}

}  // namespace gcsflux
