#include "loop/doorbell.h"

#include "loop/event_loop.h"

namespace gcsflux::internal {

void Doorbell::Ring() {
  if (EventLoop* const loop = EventLoop::Current()) {
    loop->NotifyAtEndOfTurn(rung_);
  } else {
    rung_->notify_all();
  }
}

}  // namespace gcsflux::internal
