#pragma once

#include <memory>
#include <string>

#include "gcsflux/events.h"
#include "gcsflux/result.h"

namespace gcsflux {

/// A listener for ClientOptions::event_listener that writes a timeline, which https://ui.perfetto.dev and
/// chrome://tracing show: each request on the lane of the thread that waits for it, a hedge on one beside, with the
/// time to its first byte inside. Requests of downloads of many objects and of parallel listings have as many lanes as
/// are in flight at a time; retries, throttling, stalls and hedges as marks on the lane, tokens as bars of their
/// own.
///
/// The file is an array of Chrome's trace events (the JSON Array Format of
/// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). Each event is written at once and
/// whole: after a crash only the closing bracket is missing, which that format allows. It costs a write() per request
/// and some 400 bytes. Thread-safe; several clients may share one.
class TraceWriter : public EventListener {
 public:
  /// Replaces the file. kLocalIo where it cannot be written.
  static Result<std::shared_ptr<TraceWriter>> Open(const std::string& path);

  /// Ends the file; what is told later is dropped. kLocalIo where anything could not be written: the file then ends
  /// with the last event before that. May be called again. The destructor does the same and tells nobody.
  virtual Result<void> Close() = 0;
};

}  // namespace gcsflux
