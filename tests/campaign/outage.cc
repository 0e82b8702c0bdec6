// Names whose requests always fail: a client sends no more retries than its budget allows.
#include "campaign/fault_mix.h"
#include "campaign/operations.h"
#include "campaign/worker.h"

namespace gcsflux::campaign {
namespace {

// As docs/retries.md has it: a first attempt earns its share, each second 10 retries, and 100 are there at the start.
constexpr double kShare = 0.2;
constexpr double kPerSecond = 10;
constexpr double kAtTheStart = 100;

void MeetAnOutage(Worker& worker) {
  ClientOptions options = worker.common().options;
  options.retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1),
                                      .max_delay = std::chrono::milliseconds(1),
                                      .deadline = std::chrono::milliseconds(300),
                                      .budget = kShare});
  const auto client = Client::Create(options);
  if (!worker.Check(client, RandomStop())) return;
  const auto start = std::chrono::steady_clock::now();
  const auto found = client->GetObject({worker.common().bucket, std::string(kOutagePrefix) + "object"});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  worker.Check(found, RandomStop(), {.at_once = true, .with = {ErrorCode::kNotFound}});  // without the rule
  const double most = kAtTheStart + kShare + kPerSecond * elapsed.count() + 1;
  const std::uint64_t retries = client->counters().retries;
  if (static_cast<double>(retries) > most) {
    throw Violation(std::to_string(retries) + " retries of one call, more than the budget of " + std::to_string(most));
  }
}

}  // namespace

std::vector<Operation> OutageOperations() { return {{"meet an outage", 1, MeetAnOutage}}; }

}  // namespace gcsflux::campaign
