#include "event_loops/idle.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <stdexcept>
#include <thread>

#include "crc32c.h"
#include "event_loops/content.h"
#include "event_loops/threads_now.h"
#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "support/process_memory.h"

namespace gcsflux::bench {
namespace {

constexpr int kClients = 16;

double ResidentKiB() {
  malloc_trim(0);
  return static_cast<double>(testing::MemoryFigure(getpid(), "VmRSS")) / 1024;
}

Downloader MakeDownloader(const Load& load) {
  auto client = Client::Create(load.client);
  if (!client) throw std::runtime_error(client.error().message);
  return Downloader(*client);
}

void ReadOnce(const Downloader& downloader, const Load& load) {
  const DownloadSource source{.object = load.object,
                              .size = load.bytes,
                              .generation = load.generation,
                              .crc32c = Crc32c(ContentOf(load.bytes))};
  const auto batch = downloader.Download({&source, 1});
  if (!batch) throw std::runtime_error(batch.error().message);
}

// Voluntary context switches of the threads other than the caller.
long SwitchesOfOthers() {
  rusage all{};
  rusage own{};
  getrusage(RUSAGE_SELF, &all);
  getrusage(RUSAGE_THREAD, &own);
  return all.ru_nvcsw - own.ru_nvcsw;
}

}  // namespace

IdleFigures MeasureIdle(const Load& load) {
  const Downloader first = MakeDownloader(load);  // One-time costs of a process are not costs of a client.
  ReadOnce(first, load);
  const double before = ResidentKiB();
  std::deque<Downloader> downloaders;
  while (downloaders.size() < kClients) downloaders.push_back(MakeDownloader(load));
  const double made = ResidentKiB();
  for (const Downloader& downloader : downloaders) ReadOnce(downloader, load);
  const double used = ResidentKiB();

  constexpr std::chrono::seconds kWatched(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until the last of them waits
  const long switches = SwitchesOfOthers();
  std::this_thread::sleep_for(kWatched);
  return {
      .wake_ups_per_second = static_cast<double>(SwitchesOfOthers() - switches) / static_cast<double>(kWatched.count()),
      .made_kib = (made - before) / kClients,
      .used_kib = (used - before) / kClients,
      .threads = ThreadsNow()};
}

}  // namespace gcsflux::bench
