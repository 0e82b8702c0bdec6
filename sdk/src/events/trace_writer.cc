#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/messages/json_text.h"
#include "base/process/file_size_signal.h"
#include "base/process/mutex.h"
#include "base/process/owner_process.h"
#include "gcsflux/events.h"

namespace gcsflux {
namespace {

using internal::JsonText;

// {"name": value, ...}; values that are not text are written unchanged.
class JsonObject {
 public:
  JsonObject& Text(std::string_view name, std::string_view value) { return Raw(name, JsonText(value)); }
  JsonObject& Number(std::string_view name, auto value) { return Raw(name, std::to_string(value)); }
  JsonObject& Raw(std::string_view name, std::string_view value) {
    text_ += text_.size() > 1 ? "," : "";
    text_ += "\"" + std::string(name) + "\":";
    text_ += value;
    return *this;
  }
  std::string operator*() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

// Chrome's unit is the microsecond; the fraction separates neighbours.
std::string Microseconds(std::chrono::nanoseconds duration) {
  const auto count = std::max<std::int64_t>(0, duration.count());
  const std::string fraction = std::to_string(count % 1000);
  return std::to_string(count / 1000) + "." + std::string(3 - fraction.size(), '0') + fraction;
}

JsonObject Arguments(const Event& call) {
  JsonObject arguments;
  arguments.Text("object", call.subject).Number("attempt", call.attempt).Text("invocation", call.invocation_id);
  return arguments;
}

class TraceFile : public TraceWriter {
 public:
  TraceFile(int file, std::string path) : file_(file), path_(std::move(path)) {
    JsonObject process;
    process.Text("name", "process_name").Text("ph", "M").Number("pid", ::getpid());
    Write("[\n" + *process.Raw("args", R"({"name":"gcsflux"})"));
  }
  ~TraceFile() override {
    static_cast<void>(Close());
    ::close(file_);
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void OnEvent(const Event& event) override {
    JsonObject arguments = event.operation.empty() ? JsonObject() : Arguments(event);
    switch (event.kind) {
      case EventKind::kRequest: return WriteRequest(event, arguments);
      case EventKind::kToken: return WriteToken(event, arguments);
      case EventKind::kRetry:
        return Mark("retry",
                    arguments.Text("cause", event.error->message).Raw("delay_us", Microseconds(event.duration)));
      case EventKind::kBudget: return Mark("retry budget", arguments.Raw("held_us", Microseconds(event.duration)));
      case EventKind::kFailure: return Mark("failure", arguments.Text("error", event.error->message));
      case EventKind::kThrottle:
        arguments.Text("class", GateClassName(event.gate_class)).Raw("is_engaged", event.is_engaged ? "true" : "false");
        return Mark("throttle", arguments.Number("rate", event.rate));
      case EventKind::kStalledFirstByte:
      case EventKind::kStalledBody:
        arguments.Text("phase", event.kind == EventKind::kStalledFirstByte ? "first byte" : "body");
        arguments.Raw("stood_still_us", Microseconds(event.duration));
        return Mark("stall", arguments.Raw("threshold_us", Microseconds(event.threshold)));
      case EventKind::kHedgeSent: return Mark("hedge sent", arguments);
      case EventKind::kHedgeWon: return Mark("hedge won", arguments);
      case EventKind::kHedgeLost: return Mark("hedge lost", arguments);
      case EventKind::kUnverifiedRead: return;
      case EventKind::kThreadShortage:
        arguments.Number("wanted", event.wanted).Number("started", event.started);
        return Mark("thread shortage", arguments.Text("cause", event.error->message));
      case EventKind::kCompositionRefused:
        return Mark("composition refused", arguments.Text("bucket", event.bucket).Text("reason", event.what));
      case EventKind::kUnannouncedOrder:
        return Mark("unannounced order", arguments.Text("dataset", event.subject).Text("advice", event.what));
      case EventKind::kCacheUnusable:
        return Mark("cache unusable", arguments.Text("directory", event.subject).Text("cause", event.error->message));
    }
  }

  Result<void> Close() override {
    // A child process writes its events into the same file; only its owner writes its end.
    if (!is_closed_.exchange(true) && owner_.IsCurrent()) Write("\n]\n");
    const int error = error_;
    if (error == 0) return {};
    return Error{ErrorCode::kLocalIo, "the trace '" + path_ + "' could not be written: " + std::strerror(error)};
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct Lane {
    int number = 0;
    EventTime busy_until = {};
  };

  // A thread waits for one request at a time, so each thread has a lane. A request beside another one, such as a hedge,
  // goes to the thread's next lane. Requests on one lane never overlap.
  int LaneFor(EventTime start, EventTime end) {
    const internal::MutexLock lock(mutex_);
    auto& lanes = lanes_[std::this_thread::get_id()];
    auto free = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& lane) { return lane.busy_until <= start; });
    if (free == lanes.end()) free = lanes.insert(free, Lane{++last_lane_});
    free->busy_until = end;
    return free->number;
  }

  // The thread's first lane, which has the marks.
  int OwnLane() {
    const internal::MutexLock lock(mutex_);
    auto& lanes = lanes_[std::this_thread::get_id()];
    if (lanes.empty()) lanes.push_back(Lane{++last_lane_});
    return lanes.front().number;
  }

  void WriteRequest(const Event& event, JsonObject& arguments) {
    arguments.Text("method", event.method).Text("url", event.url).Number("status", event.status);
    if (event.failure) arguments.Text("failure", ErrorCodeName(*event.failure));
    arguments.Number("bytes_sent", event.bytes_sent).Number("bytes_received", event.bytes_received);
    const int lane = LaneFor(event.start, event.end);
    std::string text = Bar(event.operation, "request", {event.start, event.end, lane}, *arguments);
    if (event.first_byte) {
      const auto first_byte = std::clamp(*event.first_byte, event.start, event.end);
      text += ",\n" + Bar("to first byte", "phase", {event.start, first_byte, lane}, "{}");
    }
    WriteNext(text);
  }

  void WriteToken(const Event& event, JsonObject& arguments) {
    arguments.Text("credential", event.what);
    if (event.error != nullptr) arguments.Text("error", event.error->message);
    const auto now = Clock::now();
    const EventTime start = std::max(opened_, now - event.duration);
    WriteNext(Bar("token", "token", {start, now, LaneFor(start, now)}, *arguments));
  }

  JsonObject Entry(std::string_view name, std::string_view category, const char* phase, EventTime at, int lane) {
    JsonObject event;
    event.Text("name", name).Text("cat", category).Text("ph", phase).Raw("ts", Microseconds(at - opened_));
    event.Number("pid", ::getpid()).Number("tid", lane);
    return event;
  }

  struct Span {
    EventTime start = {};
    EventTime end = {};
    int lane = 0;
  };
  std::string Bar(std::string_view name, std::string_view category, const Span& span, const std::string& arguments) {
    const auto& [start, end, lane] = span;
    JsonObject bar = Entry(name, category, "X", start, lane);
    return *bar.Raw("dur", Microseconds(end - start)).Raw("args", arguments);
  }

  void Mark(std::string_view name, const JsonObject& arguments) {
    JsonObject mark = Entry(name, "event", "i", Clock::now(), OwnLane());
    WriteNext(*mark.Text("s", "t").Raw("args", *arguments));
  }

  void WriteNext(const std::string& event) {
    if (!is_closed_) Write(",\n" + event);
  }

  // With one write, because other threads write too (O_APPEND), and a process that dies must leave only whole events.
  void Write(std::string_view text) {
    if (error_ != 0) return;
    const internal::FileSizeSignalBlock block;
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written == static_cast<ssize_t>(text.size())) return;
    error_ = written < 0 ? errno : ENOSPC;
  }

  const int file_;
  const std::string path_;
  const EventTime opened_ = Clock::now();
  std::atomic<int> error_ = 0;  // errno of the first failed write
  std::atomic<bool> is_closed_ = false;
  const internal::OwnerProcess owner_;
  internal::LeafMutex mutex_;
  std::map<std::thread::id, std::vector<Lane>> lanes_ GUARDED_BY(mutex_);
  int last_lane_ GUARDED_BY(mutex_) = 0;
};

}  // namespace

Result<std::shared_ptr<TraceWriter>> TraceWriter::Open(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    return Error{ErrorCode::kLocalIo, "the trace '" + path + "' cannot be written: " + std::strerror(errno)};
  }
  return std::shared_ptr<TraceWriter>(std::make_shared<TraceFile>(file, path));
}

}  // namespace gcsflux
