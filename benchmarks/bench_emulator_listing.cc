// What does listing stored objects cost, beside a bare walk over the same names that writes the same JSON?
// The emulator runs in a process of its own and is asked over HTTP, a page of 1000 after the other, on one connection.
// `bytes_per_object` is what a stored object takes of the emulator's memory beyond its name and its body.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bare_curl.h"
#include "gcsflux/client.h"
#include "support/emulator_process.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kPage = 1000;
constexpr std::string_view kBody = "sixteen bytes ok";

std::string Name(std::int64_t index) {
  std::array<char, 32> name{};
  const int length = std::snprintf(name.data(), name.size(), "train/%03d/%010d.png", static_cast<int>(index % 1000),
                                   static_cast<int>(index / 1000));
  return {name.data(), static_cast<std::size_t>(length)};
}

double ResidentBytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) * 1024;
  }
  throw std::runtime_error("no VmRSS");
}

// An emulator that holds `count` objects.
struct Service {
  testing::EmulatorProcess process;
  double bytes_per_object = 0;

  explicit Service(std::int64_t count) {
    constexpr int kThreads = 8;
    const Client client = *Client::Create({.endpoint = process.endpoint()});
    if (!client.InsertBucket("bench")) throw std::runtime_error("no bucket");
    const double before = ResidentBytes(process.pid());
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (std::int64_t i = t; i < count; i += kThreads) {
          if (!client.InsertObject({"bench", Name(i)}, AsBytes(kBody))) std::terminate();
        }
      });
    }
    threads.clear();
    const double grown = ResidentBytes(process.pid()) - before;
    bytes_per_object = grown / static_cast<double>(count) - static_cast<double>(Name(0).size() + kBody.size());
  }
};

// One service for all that ask for the same count one after the other.
const Service& ServiceOf(std::int64_t count) {
  static std::map<std::int64_t, Service> services;
  if (!services.contains(count)) services.clear();
  return services.try_emplace(count, count).first->second;
}

// The value of "nextPageToken" in a page; nothing on the last one.
std::optional<std::string> NextPageToken(const std::string& page) {
  constexpr std::string_view kKey = "\"nextPageToken\":\"";
  const auto found = page.find(kKey);
  if (found == std::string::npos) return std::nullopt;
  const auto begin = found + kKey.size();
  return page.substr(begin, page.find('"', begin) - begin);
}

void BM_List(benchmark::State& state) {
  const Service& service = ServiceOf(state.range(0));
  const std::string url =
      service.process.endpoint() + "/storage/v1/b/bench/o?maxResults=1000" + "&fields=items(name,size),nextPageToken";
  BareCurl curl;
  std::int64_t listed = 0;
  for (auto _ : state) {
    std::optional<std::string> token = "";
    while (token) {
      const auto page = curl.Get(url + (token->empty() ? "" : "&pageToken=" + *token));
      if (!page) return state.SkipWithError("a page failed");
      for (std::size_t at = page->find("\"name\""); at != std::string::npos; at = page->find("\"name\"", at + 1))
        ++listed;
      token = NextPageToken(*page);
    }
  }
  if (listed != state.iterations() * state.range(0)) return state.SkipWithError("objects are missing in the listing");
  state.SetItemsProcessed(listed);
  state.counters["bytes_per_object"] = service.bytes_per_object;
}

void BM_BareWalk(benchmark::State& state) {
  std::map<std::string, std::size_t> objects;
  for (std::int64_t i = 0; i < state.range(0); ++i) objects.emplace(Name(i), kBody.size());
  for (auto _ : state) {
    std::string page;
    std::size_t on_page = 0;
    for (const auto& [name, size] : objects) {
      page += page.empty() ? "{\"items\":[" : ",";
      page += "{\"name\":\"";
      page += name;
      page += "\",\"size\":\"";
      page += std::to_string(size);
      page += "\"}";
      if (++on_page < kPage) continue;
      benchmark::DoNotOptimize(page.data());
      page.clear();
      on_page = 0;
    }
    benchmark::DoNotOptimize(page.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(BM_BareWalk)->ArgName("objects")->Arg(10'000)->Arg(1'000'000)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_List)->ArgName("objects")->Arg(10'000)->Arg(1'000'000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
