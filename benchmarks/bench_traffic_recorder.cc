// How much does the journal and the counters of the emulator add to a request? All in this process, without HTTP.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "entrance/traffic_recorder.h"
#include "gcsflux/emulator/clock.h"
#include "store/bytes/body.h"

namespace gcsflux::emulator {
namespace {

class NoBody final : public RequestBody {
 public:
  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return 0; }
  std::optional<std::size_t> Read(std::span<std::byte> /*into*/) override { return 0; }
};

HttpRequest GetMedia() {
  HttpRequest request{.method = "GET", .target = "/storage/v1/b/bucket/o/images%2Ftrain%2F0001234.png?alt=media"};
  request.headers.Add("Host", "127.0.0.1:12345");
  request.headers.Add("x-goog-api-client",
                      "gl-cpp/2.0 gccl-invocation-id/6b29fc40-ca47-1067-b31d-00dd010662da gccl-attempt-count/1");
  return request;
}

struct Fixture {
  Fixture() {
    (void)store.InsertBucket({.name = "bucket"});
    (void)(*store.FindBucket("bucket"))
        ->InsertObject({.name = "images/train/0001234.png",
                        .body = std::make_shared<const Body>(Rope(std::string(100 << 10, 'x')))},
                       {});
  }

  Clock clock;
  Store store{[this] { return clock.Now(); }};
  ResumableSessions sessions{[this] { return clock.Now(); }, 1};
  Service service{store, sessions, {}};
  AnswerMemory memory{clock, std::chrono::minutes(5)};
  FirstAnswers answers{service, memory};
  TrafficLayer traffic{answers, sessions, clock, {}};
  RequestCounters counters;
};

// The answer itself, without recording.
void BM_Answer(benchmark::State& state) {
  Fixture fixture;
  const HttpRequest request = GetMedia();
  NoBody body;
  for (auto _ : state) {
    RequestSubject subject;
    const HttpResponse response = fixture.service.Handle(request, body, subject);
    if (response.status != 200) state.SkipWithError("not answered");
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Answer);

void BM_RecordedAnswer(benchmark::State& state) {
  Fixture fixture;
  Journal journal(static_cast<std::size_t>(state.range(0)));
  TrafficRecorder recorder(fixture.traffic, fixture.clock, journal, fixture.counters);
  const HttpRequest request = GetMedia();
  NoBody body;
  for (auto _ : state) {
    const HttpResponse response = recorder.Handle(request, body);
    response.observer->OnReceived(0);
    response.observer->OnSending(100 << 10);
    response.observer->OnFinished();
    if (response.status != 200) state.SkipWithError("not answered");
  }
  if (fixture.counters.Read().bytes_out != static_cast<std::uint64_t>(state.iterations()) * (100 << 10)) {
    state.SkipWithError("not counted");
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_RecordedAnswer)->ArgName("journal_size")->Arg(0)->Arg(10'000);

}  // namespace
}  // namespace gcsflux::emulator
