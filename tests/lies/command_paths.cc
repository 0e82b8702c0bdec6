#include <fstream>
#include <sstream>

#include "lies/paths.h"
#include "support/child_program.h"
#include "support/test_directory.h"

namespace gcsflux::testing {
namespace {

struct Run {
  int status = 0;
  std::string out = {};
  std::string err = {};
};

Run RunCommand(const LyingService& service, std::vector<std::string> arguments) {
  for (const char* flag : {"--hedge_budget=0", "--download_retry_initial_delay_s=0.001", "--max_concurrency=1"}) {
    arguments.emplace_back(flag);
  }
  arguments.push_back("--endpoint=" + service.endpoint());
  ChildProgram program(GCSFLUX_PROGRAM, arguments);
  Run run{.out = program.ReadOutput(), .err = program.ReadErrors()};
  run.status = program.Wait();
  return run;
}

Result<void> ResultOf(const Run& run) {
  if (run.status == 0) return {};
  return Error{ErrorCode::kBadResponse, run.err};
}

Path Print(const char* name, Column column, std::vector<std::string> arguments, int times) {
  return {name, column,
          [=](const Client&, const LyingService& service) -> Outcome {
            const Run run = RunCommand(service, arguments);
            if (run.status != 0) return {ResultOf(run)};
            std::string wanted;
            for (int i = 0; i < times; ++i) wanted += Content();
            return {run.out == wanted ? Result<void>() : CheckContent("")};
          },
          /*is_command=*/true};
}

// Into the file "o" of a directory; on failure there is none.
Path Fetch(const char* name, Column column, std::vector<std::string> arguments, const char* destination) {
  return {name, column,
          [=](const Client&, const LyingService& service) -> Outcome {
            const TestDirectory directory;
            auto words = arguments;
            words.push_back((directory.path() / destination).string());
            const Run run = RunCommand(service, words);
            std::ifstream file(directory.path() / "o", std::ios::binary);
            if (run.status != 0) return {file ? CheckContent("") : ResultOf(run)};
            std::stringstream bytes;
            bytes << file.rdbuf();
            return {CheckContent(bytes.str())};
          },
          /*is_command=*/true};
}

Outcome Store(const Client&, const LyingService& service) {
  const TestDirectory directory;
  const std::string path = directory.path() / "file";
  std::ofstream(path, std::ios::binary) << Content();
  return {ResultOf(RunCommand(service, {"cp", path, "gs://bkt/o"}))};
}

}  // namespace

std::vector<Path> CommandPaths() {
  return {
      Print("CatOne", Column::kWhole, {"cat", "gs://bkt/o"}, 1),
      Print("CatTwo", Column::kCatTwo, {"cat", "gs://bkt/o", "gs://bkt/o"}, 2),
      Print("CopyToStandardOutput", Column::kWhole, {"cp", "gs://bkt/o", "-"}, 1),
      Fetch("CopyToAFile", Column::kLookedUp, {"cp", "gs://bkt/o"}, "o"),
      Fetch("Sync", Column::kSmallFile, {"sync", "gs://bkt"}, ""),
      {"CopyFromAFile", Column::kUpload, Store, /*is_command=*/true},
  };
}

}  // namespace gcsflux::testing
