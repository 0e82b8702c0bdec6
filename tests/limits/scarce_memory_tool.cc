// Makes each large allocation fail in turn, on any thread: scarce_memory_tool ENDPOINT. Each call must return a result
// or an error; none may throw, wait without end or abort the process. Prints how many allocations failed.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gcsflux/download.h"
#include "gcsflux/listing.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"

namespace {

// nlohmann's JSON values allocate a few bytes while they are destroyed; if that fails, they abort the process.
constexpr std::size_t kLargeBytes = 512;

// The large allocation with this number fails; 0: none does.
std::atomic<std::int64_t> left = 0;
std::atomic<bool> has_failed = false;

void* Allocate(std::size_t size, std::size_t alignment) {
  if (size >= kLargeBytes && left.load(std::memory_order_relaxed) > 0 && left.fetch_sub(1) == 1) {
    has_failed = true;
    return nullptr;
  }
  return alignment == 0 ? std::malloc(size)
                        : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

}  // namespace

#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // g++ inlines one of the pair and not the other.
void* operator new(std::size_t size) {
  void* const memory = Allocate(size, 0);
  return memory != nullptr ? memory : throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  void* const memory = Allocate(size, static_cast<std::size_t>(alignment));
  return memory != nullptr ? memory : throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using namespace gcsflux;  // NOLINT(google-build-using-namespace): a program of its own

const ObjectName kSmall{"bkt", "small"};
const ObjectName kLarge{"bkt", "large"};

std::int64_t generation_of_small = 0;

std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

bool ReadsOne(const Client& client) {
  const auto read = client.ReadObject(kSmall);
  return read && read->size() == 1000;
}

bool ReadsRanges(const Client& client) {
  auto reader = ObjectReader::Open(client, kLarge, {.max_concurrency = 4, .range_bytes = 64U << 10});
  if (!reader) return false;
  static std::array<std::byte, 400'000> room;
  return reader->ReadNext(std::span(room).first(100'000)).ok() && reader->ReadAt(50'000, room).ok() &&
         reader->VerifyWhole().ok();
}

std::array<DownloadSource, 6> SixSources() {
  std::array<DownloadSource, 6> sources;
  sources.fill({.object = kSmall, .size = 1000, .generation = generation_of_small});
  return sources;
}

// Constructors return no Result: they throw.
std::optional<Downloader> DownloaderOf(const Client& client) try {
  return Downloader(client, {.max_concurrency = 4, .composition = CompositionMode::kOff});
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

std::optional<DownloadStream> StreamOf(const Client& client) try {
  const auto downloader = DownloaderOf(client);
  if (!downloader) return std::nullopt;
  const auto sources = SixSources();
  return downloader->Stream({sources.begin(), sources.end()});
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

bool StreamsMany(const Client& client) {
  auto stream = StreamOf(client);
  if (!stream) return false;
  for (int i = 0; i < 6; ++i) {
    auto object = stream->Next();
    if (!object || !*object || (*object)->bytes.size() != 1000) return false;
  }
  return true;
}

bool ReadsMany(const Client& client) {
  const auto downloader = DownloaderOf(client);
  if (!downloader) return false;
  const std::array<DownloadSource, 6> sources = SixSources();
  const auto batch = downloader->Download(sources);
  return batch && batch->size() == 6;
}

bool Lists(const Client& client) {
  const auto listed = ListInParallel(client, {"bkt", ""}, {});
  return listed && listed->objects.size() == 2;
}

struct Scenario {
  const char* name;
  bool (*run)(const Client& client);
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto client = Client::Create({.endpoint = argv[1],
                                      .credentials = Credentials::Anonymous(),
                                      .project = "test",
                                      .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1),
                                                                   .max_delay = std::chrono::milliseconds(2),
                                                                   .max_attempts = 3})});
  if (!client || !client->InsertBucket("bkt")) return 1;
  const auto small = client->InsertObject(kSmall, Bytes(std::string(1000, 's')));
  if (!small) return 1;
  generation_of_small = small->generation;
  if (!client->InsertObject(kLarge, Bytes(std::string(1'000'000, 'l')))) return 1;
  int failed = 0;
  int thrown = 0;
  for (const Scenario& scenario : {Scenario{"read", ReadsOne},
                                   {"ranges", ReadsRanges},
                                   {"stream", StreamsMany},
                                   {"batch", ReadsMany},
                                   {"list", Lists}}) {
    for (std::int64_t n = 1;; ++n) {
      std::fprintf(stderr, "%s %lld\n", scenario.name, static_cast<long long>(n));
      has_failed = false;
      left = n;
      bool is_done = false;
      try {
        is_done = scenario.run(*client);
      } catch (const std::bad_alloc&) {
        ++thrown;
        std::fprintf(stderr, "%s throws\n", scenario.name);
      }
      left = 0;
      if (!has_failed) {
        if (!is_done) return std::fprintf(stderr, "%s fails with all memory\n", scenario.name), 1;
        break;
      }
      ++failed;
      if (!scenario.run(*client)) return std::fprintf(stderr, "%s fails afterwards\n", scenario.name), 1;
    }
  }
  std::printf("%d allocations failed, %d thrown\n", failed, thrown);
  return 0;
}
