#include "campaign/fault_mix.h"

#include <chrono>

namespace gcsflux::campaign {
namespace {

using emulator::FaultAction;
using emulator::FaultMatch;
using emulator::FaultRule;
using std::chrono::milliseconds;

constexpr milliseconds kStall(150);  // longer than the client's patience with a read
constexpr auto kInsert = "storage.objects.insert";
constexpr auto kGet = "storage.objects.get";

// Most without a name.
std::vector<FaultRule> Rules() {
  std::vector<FaultRule> rules;
  const auto add = [&rules](double probability, FaultAction action, FaultMatch match = {}) {
    match.probability = probability;
    rules.push_back({.match = std::move(match), .action = std::move(action)});
  };
  for (const std::uint64_t status : {408U, 500U, 502U, 503U, 504U}) add(0.003, {.type = "status", .status = status});
  add(0.001, {.type = "status", .status = 429});  // each delays many others
  add(0.005, {.type = "htmlError"});
  add(0.003, {.type = "expiredToken"});
  add(0.01, {.type = "reset"});
  add(0.01, {.type = "loseAnswer"});
  add(0.004, {.type = "cut", .after_bytes = 0});
  add(0.004, {.type = "cut", .after_bytes = 100, .resets = true});
  add(0.01, {.type = "cut", .after_bytes = 5'000}, {.operation = kGet});
  add(0.005, {.type = "stall", .duration = kStall});
  add(0.03, {.type = "stall", .after_bytes = 3'000, .duration = kStall}, {.operation = kGet});
  add(0.005, {.type = "trickle", .bytes_per_second = 1'000'000});
  add(0.04, {.type = "corrupt"}, {.operation = kGet, .object_glob = std::string("**") + kCheckedSuffix});
  add(0.005, {.type = "falseLength", .length_delta = 10}, {.operation = kGet});
  add(0.005, {.type = "falseLength", .length_delta = -10}, {.operation = kGet});
  add(0.03, {.type = "corruptUpload", .at_byte = 7}, {.operation = kInsert});
  add(0.01, {.type = "failUpload", .status = 503, .after_bytes = 1'000}, {.operation = kInsert});
  add(0.03, {.type = "stallUpload", .after_bytes = 1'000, .duration = kStall}, {.operation = kInsert});
  for (const char* phase : {"chunk", "final"}) {
    add(0.05, {.type = "shortPersist", .keep_bytes = 100'000}, {.operation = kInsert, .phase = phase});
    add(0.05, {.type = "loseSession", .status = 410}, {.operation = kInsert, .phase = phase});
    add(0.05, {.type = "loseSession", .status = 404}, {.operation = kInsert, .phase = phase});
  }
  add(0.1, {.type = "omitRange"}, {.operation = kInsert, .phase = "chunk"});
  rules.push_back(
      {.name = "outage", .match = {.object_prefix = kOutagePrefix}, .action = {.type = "status", .status = 503}});
  return rules;
}

}  // namespace

emulator::FaultPlan MakeFaultMix(std::uint64_t seed) {
  emulator::FaultPlan plan{.seed = seed, .rules = Rules()};
  int number = 0;
  for (FaultRule& rule : plan.rules) {
    if (rule.name.empty()) rule.name = rule.action.type + " " + std::to_string(++number);
  }
  return plan;
}

void AddFired(const std::vector<emulator::FaultCount>& counts, std::map<std::string, std::uint64_t>& by_type) {
  for (const auto& count : counts) by_type[count.rule.substr(0, count.rule.find(' '))] += count.fired;
}

}  // namespace gcsflux::campaign
