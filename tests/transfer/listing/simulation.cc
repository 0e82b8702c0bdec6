#include "transfer/listing/simulation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include "transfer/listing/memory_bucket.h"

namespace gcsflux::internal::listing {
namespace {

double PageSeconds(std::size_t items) { return 0.060 + 0.00007 * static_cast<double>(items); }

struct Arrival {
  double seconds = 0;
  PageCall call = {};
  MemoryPage page = {};
};

struct Later {
  bool operator()(const Arrival& a, const Arrival& b) const { return a.seconds > b.seconds; }
};

}  // namespace

SimulatedListing Simulate(const std::vector<std::string>& names, const SchedulerOptions& options) {
  SimulatedListing result;
  const MemoryBucket bucket(names);
  Scheduler scheduler(options);
  std::priority_queue<Arrival, std::vector<Arrival>, Later> arrivals;
  const auto begin = [&] {
    for (const PageCall& call : scheduler.Begin(result.seconds)) {
      MemoryPage page = bucket.List(call, call.max_results);
      const double took = PageSeconds(page.names.size() + page.prefixes.size());
      arrivals.push({result.seconds + took, call, std::move(page)});
    }
  };
  for (begin(); !scheduler.is_done(); begin()) {
    const Arrival arrival = arrivals.top();
    arrivals.pop();
    result.seconds = arrival.seconds;
    for (const Taken& run : scheduler.OnPage(arrival.call.id, arrival.page.View())) result.names += run.end - run.begin;
  }
  result.calls = scheduler.calls();
  result.split_points = scheduler.SplitPoints(options.max_concurrency);
  const std::size_t pages = std::max<std::size_t>(1, (names.size() + options.page_size - 1) / options.page_size);
  result.sequential_calls = pages;
  result.sequential = 0.060 * static_cast<double>(pages) + 0.00007 * static_cast<double>(names.size());
  result.bound =
      static_cast<double>(pages) * PageSeconds(options.page_size) / static_cast<double>(options.max_concurrency);
  return result;
}

}  // namespace gcsflux::internal::listing
