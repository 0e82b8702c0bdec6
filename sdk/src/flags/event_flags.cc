// The flags of logs and traces.
#include <gflags/gflags.h>

#include <memory>
#include <utility>

#include "flags/flag_values.h"
#include "gcsflux/events.h"
#include "gcsflux/flags.h"

DEFINE_string(log_level, "none",
              "What is written to standard error: none, error, warning (also retries), info (also throttling, "
              "hedging, tokens) or debug (each request). Raise it to find out why a call takes long.");
DEFINE_string(trace_file, "",
              "File for a timeline of all requests, which https://ui.perfetto.dev shows. Set it to see which "
              "request waits for which; it takes about 400 bytes per request.");

namespace gcsflux {
namespace {

// One for the process: all its clients write the same timeline.
std::shared_ptr<TraceWriter>& Trace() {
  static auto& trace = *new std::shared_ptr<TraceWriter>();
  return trace;
}

}  // namespace

namespace internal {

Result<void> SetEventListenerFromFlags(ClientOptions& options) {
  const auto level = ParseLogLevel(FLAGS_log_level);
  if (!level && FLAGS_log_level != "none") {
    return WrongFlag("flag --log_level cannot be '" + FLAGS_log_level +
                     "': it takes none, error, warning, info, debug");
  }
  if (!FLAGS_trace_file.empty() && Trace() == nullptr) {
    auto trace = TraceWriter::Open(FLAGS_trace_file);
    if (!trace) return Error{trace.error().code, "flag --trace_file: " + trace.error().message};
    Trace() = *std::move(trace);
  }
  options.event_listener = CombineListeners({level ? MakeLogger(*level) : nullptr, Trace()});
  return {};
}

}  // namespace internal

Result<void> CloseTraceFile() {
  const std::shared_ptr<TraceWriter> trace = std::exchange(Trace(), nullptr);
  return trace ? trace->Close() : Result<void>();
}

}  // namespace gcsflux
