// How much does it cost to list stored objects, compared with a walk over the same names that writes the same JSON? The
// emulator is a separate process; one connection requests pages of 1000 one after the other and only receives them.
// BM_Answer is the emulator's share without HTTP, in this process. `emulator_cpu_ms` is that process's CPU for one
// listing; the time in the table's CPU column is the client's. `bytes_per_object` is the emulator's memory for a stored
// object without its name and its body.
#include <benchmark/benchmark.h>
#include <time.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bare_http.h"
#include "service/service.h"
#include "support/emulator_process.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kPage = 1000;
constexpr std::string_view kBody = "sixteen bytes ok";
constexpr std::string_view kTarget = "/storage/v1/b/bench/o?maxResults=1000&fields=items(name,size),nextPageToken";

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

// User and system time of a process.
double CpuMilliseconds(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
    throw std::runtime_error("no CPU time");
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) * 1e-6;
}

// A process that holds `count` objects.
struct EmulatorService {
  testing::EmulatorProcess process;
  double bytes_per_object = 0;

  explicit EmulatorService(std::int64_t count) {
    constexpr int kThreads = 8;
    BareHttp connection(process.endpoint());
    if (!connection.Post("/storage/v1/b", R"({"name":"bench"})")) throw std::runtime_error("no bucket");
    const double before = ResidentBytes(process.pid());
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        BareHttp own(process.endpoint());
        for (std::int64_t i = t; i < count; i += kThreads) {
          if (!own.Post("/upload/storage/v1/b/bench/o?uploadType=media&fields=name&name=" + Name(i), kBody))
            std::terminate();
        }
      });
    }
    threads.clear();
    const double grown = ResidentBytes(process.pid()) - before;
    bytes_per_object = grown / static_cast<double>(count) - static_cast<double>(Name(0).size() + kBody.size());
  }
};

// One service for all benchmarks in a row with the same count.
const EmulatorService& ServiceOf(std::int64_t count) {
  static std::map<std::int64_t, EmulatorService> services;
  if (!services.contains(count)) services.clear();
  return services.try_emplace(count, count).first->second;
}

// The value of "nextPageToken" in a page, where it is the first field; nothing on the last page.
std::string_view NextPageToken(std::string_view page) {
  constexpr std::string_view kBegin = "{\"nextPageToken\":\"";
  if (!page.starts_with(kBegin)) return {};
  page.remove_prefix(kBegin.size());
  return page.substr(0, page.find('"'));
}

std::int64_t CountNames(std::string_view page) {
  constexpr std::string_view kName = "{\"name\":\"";
  std::int64_t names = 0;
  for (std::size_t at = page.find(kName); at != page.npos; at = page.find(kName, at + 1)) ++names;
  return names;
}

// Requests page after page by `get(target)`, and passes each to `look`. False if one fails.
template <class Get, class Look>
bool ListAll(Get&& get, Look&& look) {
  std::string target(kTarget);
  while (true) {
    const std::optional<std::string_view> page = get(target);
    if (!page) return false;
    look(*page);
    const std::string_view token = NextPageToken(*page);
    if (token.empty()) return true;
    target.assign(kTarget).append("&pageToken=").append(token);
  }
}

template <class Get>
void ListPages(benchmark::State& state, Get&& get) {
  std::int64_t names = 0;
  std::size_t bytes = 0;
  const bool is_listed = ListAll(get, [&](std::string_view page) {
    names += CountNames(page);
    bytes += page.size();
  });
  if (!is_listed || names != state.range(0)) return state.SkipWithError("objects are missing in the listing");
  for (auto _ : state) {
    std::size_t listed = 0;
    const bool is_whole = ListAll(get, [&](std::string_view page) { listed += page.size(); });
    if (!is_whole || listed != bytes) return state.SkipWithError("a page failed");
  }
  state.SetItemsProcessed(state.iterations() * names);
}

void BM_List(benchmark::State& state) {
  const EmulatorService& service = ServiceOf(state.range(0));
  BareHttp connection(service.process.endpoint());
  const double before = CpuMilliseconds(service.process.pid());
  ListPages(state, [&](const std::string& target) { return connection.Get(target); });
  // ListPages() lists once more than it is timed.
  state.counters["emulator_cpu_ms"] =
      (CpuMilliseconds(service.process.pid()) - before) / static_cast<double>(state.iterations() + 1);
  state.counters["bytes_per_object"] = service.bytes_per_object;
}

class NoBody final : public emulator::RequestBody {
 public:
  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return 0; }
  std::optional<std::size_t> Read(std::span<std::byte> /*into*/) override { return 0; }
};

void BM_Answer(benchmark::State& state) {
  const auto clock = [] { return std::chrono::system_clock::now(); };
  emulator::Store store(clock);
  emulator::ResumableSessions sessions(clock, 1);
  emulator::Service service(store, sessions, {});
  if (!store.InsertBucket({.name = "bench"})) return state.SkipWithError("no bucket");
  const auto bucket = *store.FindBucket("bench");
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    (void)bucket->InsertObject({.name = Name(i), .body = std::make_shared<const emulator::Body>(emulator::Rope(kBody))},
                               {});
  }
  emulator::HttpResponse response;  // valid until its page has been read
  ListPages(state, [&](const std::string& target) {
    NoBody body;
    emulator::RequestSubject subject;
    response = service.Handle({.method = "GET", .target = target}, body, subject);
    const auto* page = std::get_if<std::string>(&response.body);
    return response.status == 200 && page != nullptr ? std::optional<std::string_view>(*page) : std::nullopt;
  });
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
BENCHMARK(BM_Answer)->ArgName("objects")->Arg(10'000)->Arg(1'000'000)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_List)->ArgName("objects")->Arg(10'000)->Arg(1'000'000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
