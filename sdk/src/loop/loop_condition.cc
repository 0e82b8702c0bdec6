#include "loop/loop_condition.h"

#include "loop/event_loop.h"

namespace gcsflux::internal {

void LoopCondition::NotifyAll() {
  if (EventLoop* const loop = EventLoop::Current()) {
    loop->NotifyAtEndOfTurn(notified_);
  } else {
    notified_->notify_all();
  }
}

}  // namespace gcsflux::internal
