// The main of every benchmark: Google Benchmark's own, except that an error in a benchmark is an exit status of 1.
#include <benchmark/benchmark.h>

namespace {

class FailingReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) has_failed = has_failed || run.error_occurred;
    ConsoleReporter::ReportRuns(runs);
  }
  bool has_failed = false;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  FailingReporter reporter;
  const bool ran = benchmark::RunSpecifiedBenchmarks(&reporter) > 0;
  return reporter.has_failed || !ran ? 1 : 0;
}
