// The main of every benchmark: Google Benchmark's own, except that an error in a benchmark gives exit status 1, and
// that the command line accepts gcsflux's flags too.
#include <benchmark/benchmark.h>

#include <iostream>

#include "client_options.h"
#include "gcsflux/flags.h"

namespace gcsflux::bench {

ClientOptions OptionsAt(const std::string& endpoint) {
  ClientOptions options = *ClientOptionsFromFlags();  // main has validated them.
  options.endpoint = endpoint;
  return options;
}

namespace {

class FailingReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) has_failed = has_failed || run.error_occurred;
    ConsoleReporter::ReportRuns(runs);
  }
  bool has_failed = false;
};

void PrintHelp() {
  benchmark::PrintDefaultHelp();
  std::cout << "\nFlags of the clients that are measured:\n" << FlagsHelp(__FILE__);
}

// The rest of the line after Google Benchmark's flags.
Result<void> CheckFlags(int argc, const char* const* argv) {
  const auto rest = ParseFlags(argc, argv);
  if (!rest) return rest.error();
  if (!rest->empty()) return Error{ErrorCode::kInvalidArgument, "unexpected argument '" + rest->front() + "'"};
  const auto options = ClientOptionsFromFlags();
  if (!options) return options.error();
  if (options->endpoint.empty()) return {};
  return Error{ErrorCode::kInvalidArgument, "flag --endpoint: a benchmark starts the service that it reads from"};
}

int Run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv, PrintHelp);
  if (const auto checked = CheckFlags(argc, argv); !checked) {
    std::cerr << checked.error().message << "; see --help\n";
    return 2;
  }
  FailingReporter reporter;
  const bool ran = benchmark::RunSpecifiedBenchmarks(&reporter) > 0;
  const auto traced = CloseTraceFile();
  if (!traced) std::cerr << traced.error().message << '\n';
  return reporter.has_failed || !ran || !traced ? 1 : 0;
}

}  // namespace
}  // namespace gcsflux::bench

int main(int argc, char** argv) { return gcsflux::bench::Run(argc, argv); }
