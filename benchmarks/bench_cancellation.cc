// How long does a call take to return after its stop_token requests a stop, in each phase, while the service stalls?
// Each benchmark is a phase; an iteration is one call, timed from request_stop() to its return. `p99_ms` is the 99th
// percentile, `worst_ms` the slowest.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "client_options.h"
#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/upload.h"
#include "support/full_listener.h"

namespace gcsflux::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kCalls = 200;
constexpr double kForever = 1e6;  // milliseconds
const ObjectName kObject{"bench", "object"};

/// A call under this stop_token that does not return by itself.
using StalledCall = std::function<Error(const std::stop_token&)>;

template <class T>
Error ErrorOf(const Result<T>& result) {
  return result ? Error{ErrorCode::kInvalidArgument, "it returned by itself"} : result.error();
}

struct Service {
  emulator::Emulator emulator;
  Client client = *Client::Create(OptionsAt(emulator.endpoint()));
  std::string content = std::string(4 << 20, 'c');

  Service() {
    const bool is_stored = client.InsertBucket("bench").ok() && client.InsertObject(kObject, AsBytes(content)).ok();
    if (!is_stored) throw std::runtime_error("the emulator does not take the object");
  }
  [[nodiscard]] StalledCall Read() const {
    return [this](const std::stop_token& stop) { return ErrorOf(client.ReadObject(kObject, {.stop = stop})); };
  }
};

// Starts the call, waits until it stalls, and stops it. Seconds until it returns, or an error.
Result<double> StopOnce(const StalledCall& call, std::chrono::milliseconds until_stalled) {
  std::stop_source stop;
  Clock::time_point returned;
  Error error;
  std::thread caller([&] {
    error = call(stop.get_token());
    returned = Clock::now();
  });
  std::this_thread::sleep_for(until_stalled);
  const auto stopped = Clock::now();
  stop.request_stop();
  caller.join();
  if (error.code != ErrorCode::kCancelled) return error;
  return std::chrono::duration<double>(returned - stopped).count();
}

void Measure(benchmark::State& state, const StalledCall& call, std::chrono::milliseconds until_stalled = 15ms) {
  std::vector<double> seconds;
  for (auto _ : state) {
    const Result<double> taken = StopOnce(call, until_stalled);
    if (!taken) return state.SkipWithError(("it was not cancelled: " + taken.error().message).c_str());
    state.SetIterationTime(*taken);
    seconds.push_back(*taken);
  }
  std::sort(seconds.begin(), seconds.end());
  state.counters["p50_ms"] = seconds[seconds.size() / 2] * 1e3;
  state.counters["p99_ms"] = seconds[std::min(seconds.size() - 1, seconds.size() * 99 / 100)] * 1e3;
  state.counters["worst_ms"] = seconds.back() * 1e3;
}

void BM_Connecting(benchmark::State& state) {
  const testing::FullListener listener;
  const Client client = *Client::Create(OptionsAt(listener.endpoint()));
  Measure(state, [&](const std::stop_token& stop) { return ErrorOf(client.ReadObject(kObject, {.stop = stop})); });
}

void BM_AwaitingFirstByte(benchmark::State& state) {
  Service service;
  service.emulator.shaping().Set({.read_first_byte_ms = kForever});
  Measure(state, service.Read());
}

void BM_AwaitingMoreOfTheBody(benchmark::State& state) {
  Service service;
  service.emulator.shaping().Set({.stream_read_mbps = 0.01});
  Measure(state, service.Read());
}

void BM_Uploading(benchmark::State& state) {
  Service service;
  service.emulator.shaping().Set({.stream_write_mbps = 0.01});
  Measure(state, [&](const std::stop_token& stop) {
    return ErrorOf(UploadObject(service.client, {"bench", "up"}, AsBytes(service.content), {.stop = stop}));
  });
}

void BM_BackingOff(benchmark::State& state) {
  Service service;
  service.emulator.faults().Load(emulator::ParseFaultPlan(
      R"({"rules":[{"name":"down","match":{"method":"GET"},"action":{"type":"status","status":503}}]})"));
  const Client patient = *Client::Create(
      {.endpoint = service.emulator.endpoint(), .retry = RetryPolicies::All({.initial_delay = 60s, .max_delay = 60s})});
  Measure(state, [&](const std::stop_token& stop) { return ErrorOf(patient.ReadObject(kObject, {.stop = stop})); });
}

// Other calls wait in the same line.
void BM_WaitingAtTheGate(benchmark::State& state) {
  Service service;
  service.emulator.quotas().Set({.reads_per_second = 0.001});
  std::stop_source all;
  std::vector<std::jthread> others;
  for (int i = 0; i < 16; ++i) {
    others.emplace_back([&] { static_cast<void>(service.Read()(all.get_token())); });
  }
  std::this_thread::sleep_for(500ms);  // until the gate is engaged
  Measure(state, service.Read());
  all.request_stop();
}

BENCHMARK(BM_Connecting)->UseManualTime()->Iterations(kCalls)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_AwaitingFirstByte)->UseManualTime()->Iterations(kCalls)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_AwaitingMoreOfTheBody)->UseManualTime()->Iterations(kCalls)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Uploading)->UseManualTime()->Iterations(kCalls)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_BackingOff)->UseManualTime()->Iterations(kCalls)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_WaitingAtTheGate)->UseManualTime()->Iterations(kCalls)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
