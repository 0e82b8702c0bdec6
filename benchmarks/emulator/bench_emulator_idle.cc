// Do idle connections delay other clients? The latency of a small read on one more keep-alive connection, beside 0 and
// beside 200 idle ones that have had an answer each. The emulator is a separate process.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <list>
#include <string>

#include "bare_http.h"
#include "support/emulator_process.h"

namespace gcsflux::bench {
namespace {

constexpr const char* kTarget = "/storage/v1/b/bench/o/small?alt=media";
constexpr const char* kBody = "sixteen bytes ok";

void BM_ReadBesideIdle(benchmark::State& state) {
  const testing::EmulatorProcess process;
  std::list<BareHttp> idle;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    if (!idle.emplace_back(process.endpoint()).Get("/storage/v1/b")) return state.SkipWithError("no connection");
  }
  BareHttp connection(process.endpoint());
  const bool is_stored = connection.Post("/storage/v1/b", R"({"name":"bench"})") &&
                         connection.Post("/upload/storage/v1/b/bench/o?uploadType=media&name=small", kBody);
  if (!is_stored) return state.SkipWithError("the emulator refuses the object");
  for (auto _ : state) {
    if (connection.Get(kTarget) != kBody) return state.SkipWithError("a read failed");
  }
  // They were open all the time.
  for (BareHttp& each : idle) {
    if (!each.Get("/storage/v1/b")) return state.SkipWithError("an idle connection was lost");
  }
  state.SetItemsProcessed(state.iterations());
}

// How long a client waits for its first answer, including the connect.
void BM_ConnectBesideIdle(benchmark::State& state) {
  const testing::EmulatorProcess process;
  std::list<BareHttp> idle;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    if (!idle.emplace_back(process.endpoint()).Get("/storage/v1/b")) return state.SkipWithError("no connection");
  }
  for (auto _ : state) {
    BareHttp connection(process.endpoint());
    if (!connection.Get("/storage/v1/b")) return state.SkipWithError("a connection was not served");
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_ReadBesideIdle)->ArgName("idle")->Arg(0)->Arg(200)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_ConnectBesideIdle)->ArgName("idle")->Arg(0)->Arg(200)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gcsflux::bench
