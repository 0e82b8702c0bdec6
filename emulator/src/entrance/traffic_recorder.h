#pragma once

#include <atomic>
#include <cstddef>

#include "entrance/traffic_layer.h"
#include "gcsflux/emulator/clock.h"
#include "http/http_message.h"
#include "journal/journal.h"
#include "journal/request_counters.h"

namespace gcsflux::emulator {

/// Passes requests to the traffic layer, and records them in the journal and in the counters. Thread-safe.
class TrafficRecorder final : public RequestHandler {
 public:
  /// All of them must outlive it.
  TrafficRecorder(TrafficLayer& traffic, const Clock& clock, Journal& journal, RequestCounters& counters)
      : traffic_(traffic), clock_(clock), journal_(journal), counters_(counters) {}

  HttpResponse Handle(const HttpRequest& request, RequestBody& body) override;

 private:
  HttpResponse Serve(const HttpRequest& request, RequestBody& body, RequestSubject& subject);

  TrafficLayer& traffic_;
  const Clock& clock_;
  Journal& journal_;
  RequestCounters& counters_;
  std::atomic<std::size_t> in_flight_ = 0;
};

}  // namespace gcsflux::emulator
