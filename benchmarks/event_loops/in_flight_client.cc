// A process that reads one object many times with many reads in flight, and writes its figures to standard output, a
// "name value" per line. It is a separate process so that CPU, memory, threads and context switches belong to the
// client only, and to one way of reading only.
#include <gflags/gflags.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <iostream>
#include <string>

#include "event_loops/descriptors.h"
#include "event_loops/idle.h"
#include "event_loops/ways.h"
#include "gcsflux/flags.h"
#include "process_cpu.h"
#include "support/process_memory.h"

DEFINE_string(way, "stream",
              "stream, readers, bare_loops, bare_loops_untouched or bare_threads: how it reads; idle: clients that do "
              "not.");
DEFINE_uint64(connections, 64, "Reads in flight.");
DEFINE_uint64(warm_up, 128, "Reads before those that are measured, which make the connections.");
DEFINE_uint64(reads, 10'000, "Reads that are measured. Raise it until they last some seconds.");
DEFINE_string(object, "bench/object", "What is read, as BUCKET/NAME.");
DEFINE_int64(generation, 1, "Of the object.");
DEFINE_uint64(object_bytes, 100 << 10, "Size of the object, whose bytes are those of event_loops/content.h.");

namespace gcsflux::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Usage {
  Clock::time_point time = Clock::now();
  double cpu = ProcessCpuSeconds();
  rusage counts = [] {
    rusage now{};
    getrusage(RUSAGE_SELF, &now);
    return now;
  }();
};

void Report(const char* name, double value) { std::cout << name << ' ' << value << '\n'; }

int Fail(const std::string& message) {
  std::cerr << "in_flight_client: " << message << "\n";
  return 1;
}

double MiB(double bytes) { return bytes / (1024 * 1024); }

Load LoadFromFlags(const ClientOptions& options) {
  const auto slash = FLAGS_object.find('/');
  return {.client = options,
          .object = {FLAGS_object.substr(0, slash), FLAGS_object.substr(slash + 1)},
          .generation = FLAGS_generation,
          .bytes = FLAGS_object_bytes,
          .connections = FLAGS_connections};
}

int ReportIdle(const Load& load) {
  const IdleFigures idle = MeasureIdle(load);
  Report("wake_ups_per_second", idle.wake_ups_per_second);
  Report("made_kib", idle.made_kib);
  Report("used_kib", idle.used_kib);
  Report("threads", idle.threads);
  return 0;
}

int ReportReads(const Load& load) {
  const auto resident = static_cast<double>(testing::MemoryFigure(getpid(), "VmRSS"));
  const Fetch fetch = MakeFetch(FLAGS_way, load);
  if (const Fetched first = fetch(FLAGS_warm_up); !first.failure.empty()) return Fail(first.failure);
  const Usage before;
  const Fetched fetched = fetch(FLAGS_reads);
  const Usage after;
  if (!fetched.failure.empty()) return Fail(fetched.failure);
  const double peak = static_cast<double>(testing::MemoryFigure(getpid(), "VmHWM")) - resident;
  const auto reads = static_cast<double>(FLAGS_reads);
  const double seconds = std::chrono::duration<double>(after.time - before.time).count();
  Report("seconds", seconds);
  Report("items_per_second", reads / seconds);
  Report("cpu_us", (after.cpu - before.cpu) * 1e6 / reads);
  Report("switches", static_cast<double>(after.counts.ru_nvcsw - before.counts.ru_nvcsw) / reads);
  Report("preemptions", static_cast<double>(after.counts.ru_nivcsw - before.counts.ru_nivcsw) / reads);
  Report("page_faults", static_cast<double>(after.counts.ru_minflt - before.counts.ru_minflt) / reads);
  Report("threads", fetched.threads);
  Report("peak_mib", MiB(peak));
  return 0;
}

int Run(int argc, char** argv) {
  const auto rest = ParseFlags(argc, argv);
  if (!rest) return Fail(rest.error().message);
  if (HelpRequested()) {
    std::cout << "in_flight_client [flags]: measures reads that are in flight together\n\n" << FlagsHelp(__FILE__);
    return 0;
  }
  const auto options = ClientOptionsFromFlags();
  if (!options) return Fail(options.error().message);
  AllowAllDescriptors();
  const Load load = LoadFromFlags(*options);
  return FLAGS_way == "idle" ? ReportIdle(load) : ReportReads(load);
}

}  // namespace
}  // namespace gcsflux::bench

int main(int argc, char** argv) {
  try {
    return gcsflux::bench::Run(argc, argv);
  } catch (const std::exception& error) {
    return gcsflux::bench::Fail(error.what());
  }
}
