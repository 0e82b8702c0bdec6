#include "server/traffic_recorder.h"

#include <memory>
#include <utility>

#include "traffic/client_attempt.h"
#include "traffic/redact_target.h"

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

// A request from its arrival to the end of its answer: one allocation for both sides that hold it.
class RecordedRequest final : public JournalEntry, public ResponseObserver {
 public:
  RecordedRequest(RequestRecord arrival, const Clock& clock, RequestCounters& counters)
      : JournalEntry(std::move(arrival)), clock_(clock), counters_(counters) {}

  void SetResult(RequestSubject subject, int status) {
    subject_ = std::move(subject);
    status_ = status;
  }

  void OnReceived(std::uint64_t bytes) override {
    count_ = counters_.Find(subject_.operation, status_);
    count_->requests.fetch_add(1, std::memory_order_relaxed);
    count_->bytes_in.fetch_add(bytes, std::memory_order_relaxed);
    SetAnswer(
        {subject_.operation, subject_.phase, std::move(subject_.bucket), std::move(subject_.object), status_, bytes});
  }
  void OnSending(std::uint64_t bytes) override {
    AddBytesOut(bytes);
    count_->bytes_out.fetch_add(bytes, std::memory_order_relaxed);
  }
  void OnFinished() override { count_->AddFinished(Finish(clock_.Now())); }

 private:
  const Clock& clock_;
  RequestCounters& counters_;
  RequestSubject subject_;
  int status_ = 0;
  std::shared_ptr<AnswerCount> count_;
};

}  // namespace

HttpResponse TrafficRecorder::Handle(const HttpRequest& request, RequestBody& body) {
  auto recorded = std::make_shared<RecordedRequest>(Arrival(request, clock_.Now()), clock_, counters_);
  journal_.Add(recorded);
  RequestSubject subject;
  HttpResponse response = traffic_.Handle(request, body, subject);
  recorded->SetResult(std::move(subject), response.ending == Ending::kSilence ? 0 : response.status);
  response.observer = std::move(recorded);
  return response;
}

}  // namespace gcsflux::emulator
