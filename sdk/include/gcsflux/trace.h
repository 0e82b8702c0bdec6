#pragma once

#include <memory>
#include <string>

#include "gcsflux/events.h"
#include "gcsflux/result.h"

namespace gcsflux {

/// A listener for ClientOptions::event_listener that writes a timeline for https://ui.perfetto.dev and
/// chrome://tracing. Each request is on the lane of the thread that waits for it, with the time to its first byte
/// inside. A hedge is on a lane beside it. Downloads of many objects and parallel listings have as many lanes as
/// requests in flight. Retries, throttling, stalls and hedges are marks on the lane; tokens are bars of their own.
///
/// The file is an array of Chrome's trace events (the JSON Array Format of
/// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). Each event is written at once and
/// whole: after a crash only the closing bracket is missing, which the format allows. A request costs a write() and
/// about 400 bytes. Thread-safe; several clients may share one.
class TraceWriter : public EventListener {
 public:
  /// Replaces the file. Returns kLocalIo if it cannot be written.
  static Result<std::shared_ptr<TraceWriter>> Open(const std::string& path);

  /// Completes the file; later events are dropped. Returns kLocalIo if an event could not be written: the file then
  /// ends with the event before it. It may be called again. The destructor does the same, without a report of errors.
  virtual Result<void> Close() = 0;
};

}  // namespace gcsflux
