// Probability does not depend on threads, and a run can be repeated.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "emulator/faults/fault_test.h"
#include "faults/plan/render_plan.h"

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t kSeed = 20261120;
constexpr std::size_t kRequests = 10'000;
constexpr std::size_t kObjects = 50;

struct Request {
  std::string method;
  std::string target;
  std::string headers;
  std::string body;
};

// In any order, each has the same answer: no request reads what another one writes.
std::vector<Request> RandomRequests() {
  std::mt19937_64 random(kSeed);
  std::vector<Request> requests;
  for (std::size_t i = 0; i < kRequests; ++i) {
    const std::string name = std::to_string(random() % kObjects);
    const std::uint64_t kind = random() % 10;
    const std::string range = "Range: bytes=" + std::to_string(100 * (random() % 5)) + "-\r\n";
    if (kind < 4) {
      requests.push_back({"GET", "/download/storage/v1/b/bucket/o/read-" + name + "?alt=media", range, ""});
    } else if (kind < 6) {
      requests.push_back({"GET", "/bucket/read-" + name, "Range: bytes=500-\r\n", ""});
    } else if (kind < 8) {
      requests.push_back(
          {"POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=written-" + name, "", Bytes(300)});
    } else if (kind < 9) {
      requests.push_back({"POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=session-" + name, "", ""});
    } else {
      requests.push_back({"GET", "/storage/v1/b/bucket/o/read-" + name, "", ""});
    }
  }
  return requests;
}

// The part of an answer that is the same in every run.
std::string OutcomeOf(const Request& request, RawConnection& client) {
  client.Send(request.method + " " + request.target + " HTTP/1.1\r\nHost: emulator.test\r\nContent-Length: " +
              std::to_string(request.body.size()) + "\r\n" + request.headers + "\r\n" + request.body);
  const std::optional<RawResponse> answer = client.Receive();
  if (!answer) return client.was_reset() ? "reset" : "closed";
  const bool is_media = request.method == "GET" && answer->status < 300 && !request.target.starts_with("/storage");
  return std::to_string(answer->status) + (is_media ? " " + answer->body : "");
}

// For each request, the sorted outcomes of all equal requests: their order makes no difference.
using Outcomes = std::map<std::string, std::vector<std::string>>;

class FaultReplayTest : public FaultTest {
 protected:
  FaultReplayTest() {
    for (std::size_t i = 0; i < kObjects; ++i) EXPECT_EQ(Insert("read-" + std::to_string(i), Bytes(1000)).status, 200);
  }

  Outcomes Run(const std::vector<Request>& requests, int threads) {
    Outcomes outcomes;
    std::mutex mutex;
    std::atomic<std::size_t> next = 0;
    {
      std::vector<std::jthread> workers;
      workers.reserve(threads);
      for (int i = 0; i < threads; ++i) workers.emplace_back([&] { Work(requests, next, outcomes, mutex); });
    }
    for (auto& [request, list] : outcomes) std::sort(list.begin(), list.end());
    return outcomes;
  }

  // Sorted: threads fire in any order.
  std::vector<std::string> SortedSchedule() {
    std::vector<std::string> lines;
    for (const FiredFault& fired : emulator().faults().Schedule()) lines.push_back(RenderSchedule({fired}));
    std::sort(lines.begin(), lines.end());
    return lines;
  }

 private:
  void Work(const std::vector<Request>& requests, std::atomic<std::size_t>& next, Outcomes& outcomes,
            std::mutex& mutex) {
    auto client = std::make_unique<RawConnection>(endpoint());
    for (std::size_t i = next++; i < requests.size(); i = next++) {
      std::string outcome = OutcomeOf(requests[i], *client);
      if (outcome == "reset" || outcome == "closed") client = std::make_unique<RawConnection>(endpoint());
      const std::scoped_lock lock(mutex);
      outcomes[requests[i].method + requests[i].target + requests[i].headers].push_back(std::move(outcome));
    }
  }
};

FaultPlan RandomFaults() {
  return {.seed = kSeed,
          .rules = {{.name = "busy", .match = {.probability = 0.05}, .action = {.type = "status", .status = 503}},
                    {.name = "cut",
                     .match = {.operation = "storage.objects.get", .probability = 0.1},
                     .action = {.type = "cut", .after_bytes = 250}},
                    {.name = "corrupt",
                     .match = {.covers_byte = 777, .probability = 0.1},
                     .action = {.type = "corrupt", .at_byte = 777}},
                    {.name = "lost",
                     .match = {.operation = "storage.objects.insert", .probability = 0.05},
                     .action = {.type = "loseAnswer"}}}};
}

TEST_F(FaultReplayTest, SameSeedGivesTheSameFaultsInAnyThreadOrder) {
  const std::vector<Request> requests = RandomRequests();
  emulator().faults().Load(RandomFaults());
  const Outcomes alone = Run(requests, 1);
  const std::vector<std::string> schedule = SortedSchedule();
  EXPECT_GT(schedule.size(), 1000U);
  emulator().faults().Load(RandomFaults());
  EXPECT_TRUE(Run(requests, 8) == alone);
  EXPECT_EQ(SortedSchedule(), schedule);
}

TEST_F(FaultReplayTest, AnotherSeedGivesOtherFaults) {
  const std::vector<Request> requests = RandomRequests();
  emulator().faults().Load(RandomFaults());
  Run(requests, 4);
  const std::vector<std::string> schedule = SortedSchedule();
  FaultPlan other = RandomFaults();
  other.seed = kSeed + 1;
  emulator().faults().Load(other);
  Run(requests, 4);
  EXPECT_NE(SortedSchedule(), schedule);
}

// Rules that count arrivals act on the request that arrives at their number. The schedule names it.
TEST_F(FaultReplayTest, ReplaysTenThousandRequestsExactly) {
  FaultPlan plan = RandomFaults();
  plan.rules.push_back({.name = "every", .match = {.every = 7}, .action = {.type = "htmlError"}});
  plan.rules.push_back({.name = "nth", .match = {.nth = 100}, .action = {.type = "reset"}});
  plan.rules.push_back({.name = "count",
                        .match = {.operation = "storage.objects.insert", .probability = 0.5},
                        .action = {.type = "failUpload", .status = 429, .after_bytes = 100},
                        .limits = {.count = 40}});
  emulator().faults().Load(plan);
  std::vector<Request> requests = RandomRequests();
  const Outcomes before = Run(requests, 8);
  const std::vector<std::string> schedule = SortedSchedule();
  const std::vector<FaultCount> counts = emulator().faults().Counts();
  for (const FaultCount& count : counts) EXPECT_GT(count.fired, 0U) << count.rule;

  emulator().faults().Load(ParseFaultPlan(RenderSchedule(emulator().faults().Schedule())));
  std::shuffle(requests.begin(), requests.end(), std::mt19937_64(kSeed));
  EXPECT_TRUE(Run(requests, 3) == before);
  EXPECT_EQ(SortedSchedule(), schedule);
  for (const FaultCount& count : counts) EXPECT_EQ(emulator().faults().Fired(count.rule), count.fired) << count.rule;
}

TEST_F(FaultReplayTest, RefusesRules) {
  emulator().faults().Replay({{.key = {.operation = "storage.buckets.get", .bucket = "bucket", .arrival = 2},
                               .rule = "r",
                               .action = {.type = "reset"}}});
  EXPECT_THROW(emulator().faults().Add({.action = {.type = "reset"}}), std::invalid_argument);
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket").status, 200);
  EXPECT_TRUE(Exchange("GET", "/storage/v1/b/bucket").is_silent());
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket").status, 200);
  EXPECT_EQ(emulator().faults().Fired("r"), 1U);
}

// A schedule of 200,000 faults has some 40 MB. Here most of the document is blanks, which take no time to read.
TEST_F(FaultReplayTest, AcceptsAScheduleOf40Megabytes) {
  const std::string replay =
      R"({"replay": [{"operation": "storage.objects.get", "arrival": 1, "rule": "r", "action": {"type": "reset"}}]})";
  EXPECT_EQ(Call("PUT", "/_emulator/faults", "", std::string(std::size_t{43} << 20, ' ') + replay).status, 200);
  EXPECT_EQ(emulator().faults().Plan().replay.size(), 1U);
}

}  // namespace
}  // namespace gcsflux::emulator
