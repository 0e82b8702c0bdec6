// How long do 512 ranks with 20 GB each need to save and load under the service's quotas? A simulation: the library's
// planners make the requests, and each rank has the gates of its client; network and service are numbers
// (SimulatedService). Prints two tables for docs/distributed.md.
#include <gflags/gflags.h>

#include <cstdio>
#include <exception>
#include <string>

#include "simulated_ranks/planned_requests.h"

DEFINE_int32(ranks, 512, "Ranks that save.");
DEFINE_uint64(megabytes_per_rank, 20'000, "What each of them saves.");
DEFINE_int32(fewer_ranks, 448, "Ranks that load what the others have saved, after some were lost.");
DEFINE_uint64(seed, 1, "Of the random numbers.");

namespace gcsflux::bench {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;

SimulatedJob Job() { return {.ranks = FLAGS_ranks, .bytes_per_rank = FLAGS_megabytes_per_rank * 1'000'000}; }

void PrintRow(const std::string& what, const SimulatedOutcome& outcome) {
  const auto requests = static_cast<double>(outcome.requests);
  std::printf("| %s | %.0f s | %.1f GB/s | %llu | %.3f | %.1f s |\n", what.c_str(), outcome.seconds,
              static_cast<double>(outcome.bytes) / outcome.seconds / 1e9,
              static_cast<unsigned long long>(outcome.requests), static_cast<double>(outcome.throttled) / requests,
              outcome.worst_wait);
  std::fflush(stdout);
}

void PrintHead(const std::string& first) {
  std::printf(
      "| %s | slowest rank | together | requests | 429s per request | longest wait |\n|---|---|---|---|---|---|\n",
      first.c_str());
}

void PrintSaves() {
  PrintHead("save: parts, ranges of names");
  for (const std::uint32_t ranges : {1U, 8U}) {
    for (const std::uint64_t mib : {16U, 64U, 128U}) {
      const auto requests = RequestsOfSave(Job(), {.part_bytes = mib * kMiB, .ranges = ranges});
      PrintRow(std::to_string(mib) + " MiB, " + std::to_string(ranges), Simulate(requests, {}, FLAGS_seed));
    }
  }
}

void PrintLoads() {
  struct Case {
    int ranks;
    std::uint64_t mib;
    std::uint32_t ranges;
    double egress;
    const char* quota;
  };
  constexpr double kDefault = 25e9;
  constexpr double kRaised = 100e9;
  const Case cases[] = {{FLAGS_ranks, 16, 1, kDefault, "200 Gb/s"},
                        {FLAGS_ranks, 16, 1, kRaised, "800 Gb/s"},
                        {FLAGS_ranks, 16, 8, kRaised, "800 Gb/s"},
                        {FLAGS_ranks, 64, 1, kRaised, "800 Gb/s"},
                        {FLAGS_fewer_ranks, 64, 1, kRaised, "800 Gb/s"}};
  PrintHead("load: ranks, requests of, ranges of names, egress");
  for (const Case& one : cases) {
    SimulatedService service;
    service.egress = one.egress;
    const auto requests =
        RequestsOfLoad(Job(), {.ranks = one.ranks, .stripe_bytes = one.mib * kMiB, .ranges = one.ranges});
    PrintRow(std::to_string(one.ranks) + ", " + std::to_string(one.mib) + " MiB, " + std::to_string(one.ranges) + ", " +
                 one.quota,
             Simulate(requests, service, FLAGS_seed));
  }
}

}  // namespace
}  // namespace gcsflux::bench

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_ranks < 1 || FLAGS_fewer_ranks < 1 || FLAGS_megabytes_per_rank < 1) {
    std::fputs("simulate_ranks: --ranks, --fewer_ranks and --megabytes_per_rank are at least 1\n", stderr);
    return 2;
  }
  try {
    gcsflux::bench::PrintSaves();
    std::printf("\n");
    gcsflux::bench::PrintLoads();
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "simulate_ranks: %s\n", failure.what());
    return 1;
  }
}
