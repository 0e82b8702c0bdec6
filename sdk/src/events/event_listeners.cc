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

  // If one throws, the others still get the event; the client counts the first exception.
  void OnEvent(const Event& event) override {
    std::exception_ptr thrown;
    for (const auto& listener : listeners_) {
      try {
        listener->OnEvent(event);
      } catch (...) {
        if (!thrown) thrown = std::current_exception();
      }
    }
    if (thrown) std::rethrow_exception(thrown);
  }

 private:
  const std::vector<std::shared_ptr<EventListener>> listeners_;
};

}  // namespace

std::shared_ptr<EventListener> CombineListeners(std::vector<std::shared_ptr<EventListener>> listeners) {
  std::erase(listeners, nullptr);
  if (listeners.empty()) return nullptr;
  if (listeners.size() == 1) return listeners.front();
  return std::make_shared<Combined>(std::move(listeners));
}

}  // namespace gcsflux
