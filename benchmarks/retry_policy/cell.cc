#include "retry_policy/cell.h"

#include <chrono>
#include <list>
#include <stdexcept>
#include <thread>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "retry_policy/worker.h"
#include "retry_policy/worker_process.h"

namespace gcsflux::bench {
namespace {

using Clock = std::chrono::steady_clock;

void StoreObject(const emulator::Emulator& emulator, std::size_t bytes) {
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .project = "bench"});
  const std::string content(bytes, 'r');
  const bool is_stored =
      client.InsertBucket(kBucket).ok() && client.InsertObject({kBucket, kObject}, AsBytes(content)).ok();
  if (!is_stored) throw std::runtime_error("the emulator does not take the object");
}

emulator::Quotas QuotasOf(const Scenario& scenario, const QuotaPhase& phase, std::size_t object_bytes) {
  emulator::Quotas quotas{.depth_ms = 50};
  if (!phase.requests_per_second) return quotas;
  if (scenario.is_egress_cap) {
    quotas.egress_mbps = *phase.requests_per_second * static_cast<double>(object_bytes) * 1e-6;
  } else {
    quotas.reads_per_second = phase.requests_per_second;
  }
  return quotas;
}

std::vector<std::string> WorkerArguments(const emulator::Emulator& emulator, const Scenario& scenario,
                                         const Policy& policy, std::vector<std::string> flags) {
  flags.insert(flags.begin(), policy.flags.begin(), policy.flags.end());
  flags.push_back("--worker_threads=" + std::to_string(scenario.threads));
  flags.push_back("--endpoint=" + emulator.endpoint());
  return flags;
}

}  // namespace

Cell RunCell(const Scenario& scenario, const Policy& policy, const CellOptions& options) {
  emulator::Emulator emulator({.journal_size = 0});
  StoreObject(emulator, options.object_bytes);
  emulator.shaping().Set({.read_first_byte_ms = emulator::Distribution::Parse(options.first_byte_ms)});
  emulator.quotas().Set(QuotasOf(scenario, scenario.phases.front(), options.object_bytes));

  std::list<WorkerProcess> workers;
  for (int i = 0; i < scenario.processes; ++i) {
    workers.emplace_back(WorkerArguments(emulator, scenario, policy, options.worker_flags));
  }
  const auto start = Clock::now() + std::chrono::milliseconds(100);
  for (WorkerProcess& worker : workers) worker.Begin(start, options.seconds);
  for (const QuotaPhase& phase : scenario.phases) {
    const std::chrono::duration<double> from(phase.from * options.seconds);
    std::this_thread::sleep_until(start + std::chrono::duration_cast<Clock::duration>(from));
    emulator.quotas().Set(QuotasOf(scenario, phase, options.object_bytes));
  }
  std::vector<std::vector<CallRecord>> calls;
  for (WorkerProcess& worker : workers) calls.push_back(worker.Finish());

  const emulator::QuotaCounters counters = emulator.quotas().counters();
  return {.scenario = scenario,
          .policy = std::string(policy.name),
          .figures = Evaluate(scenario, options.seconds, calls, counters.refused_reads + counters.refused_egress)};
}

}  // namespace gcsflux::bench
