#include "campaign/campaign.h"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <mutex>
#include <thread>

#include "campaign/fault_mix.h"

namespace gcsflux::campaign {
namespace {

using std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kPhases = 4;
constexpr int kMostPhases = 16;
constexpr milliseconds kLongestPhase(10'000);  // The journal has the requests of about so long.
constexpr milliseconds kTick(100);

// In use, as reported by malloc: its caches are returned before.
std::size_t BytesInUse() {
  malloc_trim(0);
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// After an answer is sent, other threads still free its memory. They get 10 s for it: a leak remains.
std::size_t BytesInUseAtRest(std::size_t usual) {
  constexpr int kMostTicks = 100;
  std::size_t bytes = BytesInUse();
  for (int tick = 0; tick < kMostTicks && bytes > usual + (1 << 20); ++tick) {
    std::cerr << "phase's end: " << bytes << " bytes are in use\n";
    std::this_thread::sleep_for(kTick);
    bytes = BytesInUse();
  }
  return bytes;
}

emulator::FaultPlan PlanOf(const Case& c) {
  if (c.plan.empty()) return MakeFaultMix(c.seed);
  std::ifstream file(c.plan);
  if (!file) throw std::runtime_error("cannot read the plan " + c.plan);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  emulator::FaultPlan plan = emulator::ParseFaultPlan(text);
  int number = 0;
  for (auto& rule : plan.rules) {
    if (rule.name.empty()) rule.name = rule.action.type + " " + std::to_string(++number);
  }
  return plan;
}

emulator::FaultPlan RulesOf(const Case& c) {
  emulator::FaultPlan plan = PlanOf(c);
  std::erase_if(plan.rules, [&](const auto& rule) { return std::ranges::find(c.rules, rule.name) == c.rules.end(); });
  return plan;
}

// The steps that began, in their order, as a case. Thread-safe.
class Journal {
 public:
  Journal(const std::string& path, const Case& c) {
    if (path.empty()) return;
    file_.open(path, std::ios::trunc);
    file_ << FormatCase(c) << std::flush;
    if (!file_) throw std::runtime_error("cannot write the journal " + path);
  }
  // A full disk ends the journal, not the campaign.
  void Add(const Step& step) {
    const std::scoped_lock lock(mutex_);
    if (file_.is_open()) file_ << FormatStep(step) << std::flush;
  }

 private:
  std::mutex mutex_;
  std::ofstream file_;
};

// The first violation of several threads. Thread-safe.
class FirstViolation {
 public:
  void Note(const Phase& phase, const Worker& worker, const std::string& what) {
    stop_.request_stop();
    const std::scoped_lock lock(mutex_);
    if (!text_.empty()) return;
    text_ = worker.prefix() + " " + worker.operation() + ": " + what + phase.LastRequestsAbout(worker.prefix());
  }
  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  void Stop() { stop_.request_stop(); }
  [[nodiscard]] std::string text() const {
    const std::scoped_lock lock(mutex_);
    return text_;
  }

 private:
  std::stop_source stop_;
  mutable std::mutex mutex_;
  std::string text_;
};

// Runs until it returns false, or a violation, on the calling thread.
void RunWorker(const Phase& phase, Worker& worker, FirstViolation& violation, const std::function<bool()>& run_step) {
  try {
    while (!violation.stop().stop_requested() && run_step()) {
    }
  } catch (const std::exception& error) {
    violation.Note(phase, worker, error.what());
  }
}

// While it exists, the service takes little now and then.
class Dips {
 public:
  Dips(emulator::Emulator& service, bool has_quotas) : service_(service) {
    if (!has_quotas) return;
    thread_ = std::jthread([this](const std::stop_token& stop) {
      for (int tick = 0; !stop.stop_requested(); ++tick) {
        const bool is_scarce = tick % 30 == 10;
        service_.quotas().Set(is_scarce ? emulator::Quotas{.reads_per_second = 20, .writes_per_second = 20}
                                        : emulator::Quotas{});
        std::this_thread::sleep_for(kTick);
      }
    });
  }
  ~Dips() {
    if (thread_.joinable()) thread_.request_stop(), thread_.join();
    service_.quotas().Set({});
  }
  Dips(const Dips&) = delete;
  Dips& operator=(const Dips&) = delete;

 private:
  emulator::Emulator& service_;
  std::jthread thread_;
};

void RunPhase(World& world, const Case& c, const CampaignOptions& options, milliseconds duration, Report& report) {
  Phase phase(world, c.seed);
  Journal journal(options.journal, c);
  world.emulator().faults().Load(RulesOf(c));
  FirstViolation violation;
  {
    const Dips dips(world.emulator(), c.has_quotas);
    std::vector<std::jthread> threads;
    for (const auto& worker : phase.workers()) {
      threads.emplace_back([&, &worker = *worker] {
        RunWorker(phase, worker, violation, [&] {
          const Step step = worker.NextStep();
          journal.Add(step);
          worker.Run(step);
          return true;
        });
      });
    }
    const SteadyTime end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end && !violation.stop().stop_requested()) {
      std::this_thread::sleep_for(kTick);
    }
    violation.Stop();
  }
  phase.Finish(report);
  if (const std::string text = violation.text(); !text.empty()) throw Violation(text);
  phase.Check(report);
}

Case CaseOfPhase(const CampaignOptions& options, int phase) {
  Case c{.seed = options.seed * 1'000 + static_cast<std::uint64_t>(phase),
         .threads = options.world.threads,
         .has_quotas = phase % 2 == 0,
         .plan = options.plan};
  for (const auto& rule : PlanOf(c).rules) c.rules.push_back(rule.name);
  return c;
}

void RunPhases(World& world, const CampaignOptions& options, Report& report) {
  const milliseconds duration = std::min(milliseconds(options.duration) / kPhases, kLongestPhase);
  const int phases = static_cast<int>((milliseconds(options.duration) + duration - milliseconds(1)) / duration);
  const auto is_complete = [&] { return !options.plan.empty() || FindMissing(report).empty(); };
  for (int phase = 0; phase < phases || (phase < kMostPhases && !is_complete()); ++phase) {
    RunPhase(world, CaseOfPhase(options, phase), options, duration, report);
    world.emulator().Reset();
    auto& in_use = report.bytes_in_use;
    in_use.push_back(BytesInUseAtRest(in_use.empty() ? SIZE_MAX / 2 : in_use.front()));
    report.client = world.client().counters();
  }
}

// One after the other, or those of each worker beside those of the others.
void RunSteps(const Phase& phase, const Case& c, bool is_concurrent, FirstViolation& violation,
              const std::function<bool()>& is_stopped) {
  if (!is_concurrent) {
    for (const Step& step : c.steps) {
      if (is_stopped()) return;
      Worker& worker = *phase.workers()[static_cast<std::size_t>(step.worker)];
      RunWorker(phase, worker, violation, [&] { return worker.Run(step), false; });
    }
    return;
  }
  std::vector<std::jthread> threads;
  for (std::size_t number = 0; number < phase.workers().size(); ++number) {
    threads.emplace_back([&, number] {
      Worker& worker = *phase.workers()[number];
      auto next = c.steps.begin();
      RunWorker(phase, worker, violation, [&] {
        next = std::find_if(next, c.steps.end(),
                            [&](const Step& step) { return static_cast<std::size_t>(step.worker) == number; });
        if (next == c.steps.end() || is_stopped()) return false;
        worker.Run(*next++);
        return true;
      });
    });
  }
}

}  // namespace

std::string FindMissing(const Report& report) {
  for (const auto& [type, count] : report.fired) {
    if (count == 0) return "the fault " + type + " never fired";
  }
  const Counters& client = report.client;
  if (client.retries == 0 || client.throttled == 0) return "nothing was retried, or nothing throttled";
  if (client.hedges == 0 || client.sessions_restarted == 0) return "no read was hedged, or no session restarted";
  if (report.composites == 0) return "nothing was downloaded through a composite";
  return {};
}

Report RunCampaign(const CampaignOptions& options) {
  Report report;
  World world(options.world);
  try {
    RunPhases(world, options, report);
  } catch (const Violation& violation) {
    report.violation = violation.what();
  }
  report.client = world.client().counters();
  return report;
}

std::string Replay(const Case& c, const WorldOptions& options, bool is_concurrent,
                   const std::function<bool()>& is_stopped) {
  WorldOptions same = options;
  same.threads = c.threads;
  World world(same);
  Phase phase(world, c.seed);
  world.emulator().faults().Load(RulesOf(c));
  FirstViolation violation;
  {
    const Dips dips(world.emulator(), c.has_quotas);
    RunSteps(phase, c, is_concurrent, violation, is_stopped);
  }
  Report report;
  phase.Finish(report);
  if (!violation.text().empty() || is_stopped()) return violation.text();
  try {
    phase.Check(report);
  } catch (const Violation& broken) {
    return broken.what();
  }
  return {};
}

}  // namespace gcsflux::campaign
