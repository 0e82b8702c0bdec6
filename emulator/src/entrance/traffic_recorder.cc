#include "entrance/traffic_recorder.h"

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "base/time_format.h"
#include "bodies/inflated_body.h"
#include "entrance/request_dialects.h"
#include "http/error_answer.h"
#include "http/which_api.h"
#include "journal/client_attempt.h"
#include "journal/redact_target.h"

namespace gcsflux::emulator {
namespace {

RequestRecord Arrival(const HttpRequest& request, Clock::Time now) {
  RequestRecord record{.method = request.method, .target = RedactTarget(request.target), .start = now};
  if (const std::string* client = request.headers.Find("x-goog-api-client")) {
    ClientAttempt attempt = ParseClientAttempt(*client);
    record.invocation_id = std::move(attempt.invocation_id);
    record.attempt = attempt.attempt;
  }
  return record;
}

// The Date of an answer. Formatting it takes longer than everything else here, so each connection's thread keeps the
// last one.
const std::string& DateOf(Clock::Time now) {
  thread_local std::chrono::sys_seconds second;
  thread_local std::string date;
  const auto current = std::chrono::floor<std::chrono::seconds>(now);
  if (date.empty() || current != second) {
    second = current;
    date = FormatHttpDate(current);
  }
  return date;
}

// A request from its arrival to the end of its answer. One allocation serves the journal and the connection.
class RecordedRequest final : public JournalEntry, public ResponseObserver {
 public:
  RecordedRequest(RequestRecord arrival, const Clock& clock, RequestCounters& counters,
                  std::atomic<std::size_t>& in_flight)
      : JournalEntry(Counted(std::move(arrival), in_flight)),
        clock_(clock),
        counters_(counters),
        in_flight_(in_flight) {}
  ~RecordedRequest() override { LeaveFlight(); }  // if memory ran out
  RecordedRequest(const RecordedRequest&) = delete;
  RecordedRequest& operator=(const RecordedRequest&) = delete;

  void SetResult(RequestSubject subject, int status) {
    subject_ = std::move(subject);
    status_ = status;
  }

  void OnReceived(std::uint64_t bytes) override {
    count_ = counters_.Find(subject_.operation, status_);
    count_->requests.fetch_add(1, std::memory_order_relaxed);
    count_->bytes_in.fetch_add(bytes, std::memory_order_relaxed);
    SetAnswer({.operation = subject_.operation,
               .phase = subject_.phase,
               .bucket = std::move(subject_.bucket),
               .object = std::move(subject_.object),
               .committed_generation = subject_.committed_generation,
               .read_generation = subject_.read_generation,
               .offset = subject_.offset,
               .is_replayed = subject_.is_replayed,
               .faults = std::move(subject_.faults),
               .status = status_,
               .bytes_in = bytes});
  }
  void OnSending(std::uint64_t bytes) override {
    AddBytesOut(bytes);
    count_->bytes_out.fetch_add(bytes, std::memory_order_relaxed);
  }
  void OnLastBytes() override { LeaveFlight(); }
  void OnFinished() override {
    count_->AddFinished(Finish(clock_.Now()));
    LeaveFlight();
  }

 private:
  static RequestRecord Counted(RequestRecord arrival, std::atomic<std::size_t>& in_flight) {
    arrival.in_flight = in_flight.fetch_add(1, std::memory_order_relaxed) + 1;
    return arrival;
  }
  void LeaveFlight() {
    if (std::exchange(is_in_flight_, false)) in_flight_.fetch_sub(1, std::memory_order_relaxed);
  }

  const Clock& clock_;
  RequestCounters& counters_;
  std::atomic<std::size_t>& in_flight_;
  bool is_in_flight_ = true;
  RequestSubject subject_;
  int status_ = 0;
  std::shared_ptr<AnswerCount> count_;
};

}  // namespace

HttpResponse TrafficRecorder::Handle(const HttpRequest& request, RequestBody& body) {
  auto recorded = std::make_shared<RecordedRequest>(Arrival(request, clock_.Now()), clock_, counters_, in_flight_);
  journal_.Add(recorded);
  RequestSubject subject;
  HttpResponse response = Serve(request, body, subject);
  response.headers.Add("Date", DateOf(clock_.Now()));
  recorded->SetResult(std::move(subject), response.ending == Ending::kSilence ? 0 : response.status);
  response.observer = std::move(recorded);
  return response;
}

HttpResponse TrafficRecorder::Serve(const HttpRequest& request, RequestBody& body, RequestSubject& subject) {
  try {
    const std::optional<HttpRequest> plain = ToPlainRequest(request, body.announced_size());
    const HttpRequest& meant = plain ? *plain : request;
    std::optional<InflatedBody> inflated;
    if (MayBeCompressed(meant)) inflated.emplace(body);
    HttpResponse response = traffic_.Handle(meant, inflated ? *inflated : body, subject);
    if (plain) ToDialectOf(request, response);
    return response;
  } catch (const std::exception&) {  // so that the request leaves the journal's ones in flight
    return ErrorAnswer(IsXmlRequest(request), CaughtError());
  }
}

}  // namespace gcsflux::emulator
