#include "tracking/event_flusher.h"

#include <cstdio>
#include <utility>

#include "base/exceptions_as_errors.h"
#include "base/process/no_time_limit.h"
#include "base/process/start_thread.h"
#include "checkpoints/run_identity.h"
#include "client/client_core.h"
#include "formats/events/event_records.h"
#include "gcsflux/run_environment.h"
#include "gcsflux/version.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kMostMetrics = 10'000;  // In the record.

std::map<std::string, std::string> Environment() {
  const RunIdentity identity = MakeRunIdentity();
  std::map<std::string, std::string> environment = {
      {"host", identity.host}, {"process", std::to_string(identity.process)}, {"gcsflux", kVersion}};
  const auto run = RunEnvironment::Detect();
  if (!run || run->launcher.empty()) return environment;
  environment["launcher"] = run->launcher;
  environment["rank"] = std::to_string(run->rank);
  environment["world_size"] = std::to_string(run->world_size);
  return environment;
}

std::map<std::string, double> FiguresOf(const Counters& counters) {
  return {{"requests", static_cast<double>(counters.requests)},
          {"retries", static_cast<double>(counters.retries)},
          {"throttled", static_cast<double>(counters.throttled)},
          {"failures", static_cast<double>(counters.failures)},
          {"bytes_sent", static_cast<double>(counters.bytes_sent)},
          {"bytes_received", static_cast<double>(counters.bytes_received)},
          {"class_a_operations", static_cast<double>(counters.class_a_operations)},
          {"class_b_operations", static_cast<double>(counters.class_b_operations)},
          {"price_usd", PriceOf(counters)}};
}

}  // namespace

EventFlusher::EventFlusher(const Client& client, std::string name, std::unique_ptr<EventDestination> destination,
                           EventWriterOptions options)
    : client_(client),
      name_(std::move(name)),
      options_(std::move(options)),
      counters_before_(client.counters()),
      destination_(std::move(destination)) {
  record_.state = "running";
  record_.started = CoreOf(client_).timing().SystemNow();
  record_.revision = options_.revision;
  record_.parameters = options_.parameters;
  record_.environment = Environment();
}

Result<std::unique_ptr<EventFlusher>> EventFlusher::Start(const Client& client, std::string name,
                                                          std::unique_ptr<EventDestination> destination,
                                                          EventWriterOptions options) {
  std::unique_ptr<EventFlusher> flusher(
      new EventFlusher(client, std::move(name), std::move(destination), std::move(options)));
  auto thread = StartThread([self = flusher.get()](const std::stop_token& stop) { self->Run(stop); });
  if (!thread) return thread.error();
  flusher->thread_ = *std::move(thread);
  return flusher;
}

double EventFlusher::Now() const {
  return std::chrono::duration<double>(CoreOf(client_).timing().SystemNow().time_since_epoch()).count();
}

bool EventFlusher::Enqueue(const std::string& record) {
  if (is_closed_) return false;
  has_changed_ = true;
  if (queued_.size() + batch_.size() + record.size() > options_.max_pending_bytes) {
    ++record_.dropped;
    return false;
  }
  queued_ += record;
  ++queued_events_;
  // The thread does not wait for the interval if a burst would fill the memory.
  if (queued_.size() > options_.max_pending_bytes / 2 && batch_.empty() && last_) changed_.notify_all();
  return true;
}

void EventFlusher::Add(std::string_view message) {
  std::string record;
  AppendRecord(record, message);
  const MutexLock lock(mutex_);
  Enqueue(record);
}

void EventFlusher::AddScalar(std::string_view message, const std::string& tag, double value, std::int64_t step) {
  std::string record;
  AppendRecord(record, message);
  const MutexLock lock(mutex_);
  if (!Enqueue(record)) return;
  auto metric = record_.metrics.find(tag);
  if (metric == record_.metrics.end()) {
    if (record_.metrics.size() == kMostMetrics) return;
    metric = record_.metrics.emplace(tag, RunMetric()).first;
  }
  metric->second.Add(value, step);
}

void EventFlusher::Drop(const Error& why) {
  const MutexLock lock(mutex_);
  if (is_closed_) return;
  ++record_.dropped;
  has_changed_ = true;
  if (!failure_) failure_ = why;
}

void EventFlusher::SetDataset(std::map<std::string, double> figures) {
  const MutexLock lock(mutex_);
  record_.dataset = std::move(figures);
  has_changed_ = true;
}

Result<void> EventFlusher::Flush() {
  MutexLock lock(mutex_);
  if (is_closed_) return Outcome();
  const std::uint64_t number = ++requested_;
  changed_.notify_all();
  changed_.wait(lock, [&]() REQUIRES(mutex_) { return done_ >= number; });
  return last_;
}

Result<void> EventFlusher::Close(const char* state) {
  {
    MutexLock lock(mutex_);
    if (is_closed_) return Outcome();
    is_closed_ = true;
    record_.state = state;
    has_changed_ = true;
    const std::uint64_t number = ++requested_;
    changed_.notify_all();
    changed_.wait_for(lock, InNanoseconds(options_.end_deadline), [&]() REQUIRES(mutex_) { return done_ >= number; });
  }
  cancel_.request_stop();
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  const MutexLock lock(mutex_);
  return Outcome();
}

Result<void> EventFlusher::Outcome() const {
  const std::uint64_t lost = record_.dropped + queued_events_ + batch_events_;
  if (lost == 0) return last_;
  Error error =
      failure_.value_or(Error{ErrorCode::kUnavailable, "more than " + std::to_string(options_.max_pending_bytes) +
                                                           " bytes came before they could be stored; raise "
                                                           "EventWriterOptions::max_pending_bytes"});
  error.message =
      name_ + ": " + std::to_string(lost) + (lost == 1 ? " event is" : " events are") + " not stored: " + error.message;
  return error;
}

void EventFlusher::Run(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (true) {
    changed_.wait_for(lock, stop, InNanoseconds(options_.flush_interval), [this]() REQUIRES(mutex_) {
      return requested_ > done_ || (last_ && queued_.size() > options_.max_pending_bytes / 2);
    });
    if (requested_ == done_ && stop.stop_requested()) return;
    const std::uint64_t number = requested_;
    const auto flushed = ExceptionsAsErrors([&]() REQUIRES(mutex_, lock) -> Result<void> {
      FlushOnce(lock);
      return {};
    });
    if (!flushed) last_ = flushed.error();
    done_ = number;
    changed_.notify_all();
  }
}

void EventFlusher::FlushOnce(MutexLock<Mutex>& lock) {
  if (!has_changed_ && queued_.empty() && batch_.empty()) return;
  // Not copied, if nothing is left of an earlier flush: those who add events wait meanwhile.
  if (batch_.empty())
    batch_.swap(queued_);
  else
    batch_ += queued_;
  queued_.clear();
  batch_events_ += std::exchange(queued_events_, 0);
  has_changed_ = false;
  RunRecord record = RecordNow();
  const std::string& batch = batch_;
  lock.unlock();
  auto stored = ExceptionsAsErrors([&]() -> Result<void> {
    if (batch.empty()) return {};
    return destination_->Append(batch, cancel_.get_token());
  });
  const bool is_appended = stored.ok();
  if (stored) {
    stored = ExceptionsAsErrors([&] {
      record.client = FiguresOf(client_.counters() - counters_before_);
      return destination_->StoreRunRecord(FormatRunRecord(record), cancel_.get_token());
    });
  }
  lock.lock();
  if (is_appended) {
    record_.events += std::exchange(batch_events_, 0);
    batch_.clear();
  }
  if (!stored) has_changed_ = true;
  if (!stored && !failure_) failure_ = stored.error();
  last_ = std::move(stored);
  if (!failure_ || is_reported_) return;
  is_reported_ = true;
  const Error failure = *failure_;
  lock.unlock();
  Report(failure);
  lock.lock();
}

RunRecord EventFlusher::RecordNow() const {
  RunRecord record = record_;
  record.updated = CoreOf(client_).timing().SystemNow();
  record.events += batch_events_;
  return record;
}

// An exception would end the process.
void EventFlusher::Report(const Error& failure) const {
  try {
    if (options_.on_failure) return options_.on_failure(failure);
  } catch (...) {
    std::fputs("gcsflux: EventWriterOptions::on_failure has thrown\n", stderr);
  }
  std::fprintf(stderr, "gcsflux: events of %s are not stored yet; each flush tries again: %s\n", name_.c_str(),
               failure.message.c_str());
}

}  // namespace gcsflux::internal
