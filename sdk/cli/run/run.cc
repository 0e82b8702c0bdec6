#include <gflags/gflags.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>

#include "base/messages/local_error.h"
#include "cli/commands.h"
#include "cli/run/command_file.h"
#include "cli/run/own_process.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "transfer/threads/run_on_threads.h"

DECLARE_bool(dry_run);
DECLARE_bool(json);
DEFINE_int32(jobs, 8, "Commands at a time.");

namespace gcsflux::cli {
namespace {

// The flags that were given to `run`, for each of its commands; a trace would be written by all of them.
std::vector<std::string> GivenFlags() {
  std::vector<gflags::CommandLineFlagInfo> flags;
  gflags::GetAllFlags(&flags);
  std::vector<std::string> words;
  for (const auto& flag : flags) {
    if (flag.is_default || flag.name == "jobs" || flag.name == "trace_file") continue;
    words.push_back("--" + flag.name + "=" + flag.current_value);
  }
  return words;
}

// Runs the lines, and counts those that failed. Thread-safe.
class LineRunner {
 public:
  LineRunner(const std::vector<CommandLine>& lines, const std::stop_token& stop) : lines_(lines), stop_(stop) {}

  Result<void> Run(std::size_t index) {
    const CommandLine& line = lines_[index];
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::tmpfile(), std::fclose);
    if (!out) return internal::LocalError("make", "a temporary file");
    std::vector<std::string> words = flags_;
    words.insert(words.end(), line.words.begin(), line.words.end());
    const auto status = RunOwnProcess(words, out.get(), stop_);
    if (!status) return status.error();
    const std::scoped_lock lock(mutex_);
    if (*status != 0) {
      ++failed_;
      std::cerr << Printable("gcsflux: line " + std::to_string(line.number) + " failed with status " +
                             std::to_string(*status) + ": " + line.text) +
                       "\n";
    }
    return Print(out.get());
  }

  [[nodiscard]] std::size_t failed() const { return failed_; }

 private:
  // As a whole, so that the output of two commands is not mixed.
  static Result<void> Print(std::FILE* out) {
    std::rewind(out);
    std::array<char, 1U << 16> block;  // NOLINT(cppcoreguidelines-pro-type-member-init): it is filled by fread
    while (const std::size_t bytes = std::fread(block.data(), 1, block.size(), out)) {
      std::cout.write(block.data(), static_cast<std::streamsize>(bytes));
    }
    std::cout.flush();
    if (!std::cout) return Error{ErrorCode::kLocalIo, "standard output could not be written"};
    return {};
  }

  const std::vector<CommandLine>& lines_;
  const std::stop_token stop_;
  const std::vector<std::string> flags_ = GivenFlags();
  std::mutex mutex_;        // Also for standard output.
  std::size_t failed_ = 0;  // Guarded by mutex_.
};

Result<void> PrintLines(const std::vector<CommandLine>& lines) {
  for (const CommandLine& line : lines) {
    PrintLine(FLAGS_json ? JsonObject().Add("action", "run").Add("line", line.number).Add("command", line.text).text()
                         : line.text);
  }
  return {};
}

Result<void> RunLines(const Client& client, const std::vector<std::string>& arguments) {
  if (FLAGS_jobs < 1) return Error{ErrorCode::kInvalidArgument, "flag --jobs must be at least 1"};
  const std::string& name = arguments.front();
  std::ifstream file;
  if (name != "-") file.open(name);
  if (!file) return internal::LocalError("read", name);
  const auto lines = ReadCommandFile(name == "-" ? std::cin : file);
  if (!lines) return Error{lines.error().code, (name == "-" ? "standard input" : name) + ", " + lines.error().message};
  if (FLAGS_dry_run) return PrintLines(*lines);
  const std::stop_token stop = StopOnSignal();
  LineRunner runner(*lines, stop);
  auto ran = internal::RunOnThreads(
      client, lines->size(), FLAGS_jobs, [&](std::size_t index, const std::stop_token&) { return runner.Run(index); },
      stop);
  if (!ran) return ran;
  if (FLAGS_json) PrintLine(JsonObject().Add("commands", lines->size()).Add("failed", runner.failed()).text());
  if (runner.failed() == 0 && FLAGS_json) return {};
  if (runner.failed() == 0) return SayDone("ran " + Count(lines->size(), "command")), Result<void>();
  return Error{ErrorCode::kLocalIo, std::to_string(runner.failed()) + " of " + Count(lines->size(), "command") +
                                        " failed, for the reasons above"};
}

constexpr CommandFlag kRunFlags[] = {
    {"jobs"}, {"dry_run", "n", "Check all lines, print them, and run none."}, {"json"}};

}  // namespace

constinit const Command kRun = {
    .name = "run",
    .arguments = "FILE|-",
    .summary = "Run many commands, one a line of a file or of standard input, in parallel.",
    .details =
        "A line is a command without the program's name: cp -n a gs://b/a. Quotations and \\ are as in a shell; # \n"
        "begins a comment. All lines are read first: if one is wrong, its number is told, and none is run. They run "
        "in\n"
        "any order, each in its own process, and each prints its output as a whole when it has ended. If one fails, "
        "the\n"
        "others run nevertheless, and the exit status is 1. Flags of every command hold for all lines.\n"
        "With --json each command has it too, and the last line counts commands and failures.\n",
    .flags = kRunFlags,
    .max_arguments = 1,
    .run = RunLines,
    .is_resumable = true,
};

}  // namespace gcsflux::cli
