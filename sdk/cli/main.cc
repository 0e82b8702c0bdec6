// The `gcsflux` command: sub-commands on gs:// URIs. Exit status 0, 1 (the operation failed), 2 (wrong usage), or
// 128 and the signal that interrupted it.
#include <gflags/gflags.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>

#include "cli/command_flags.h"
#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "gcsflux/client.h"
#include "gcsflux/flags.h"
#include "gcsflux/version.h"

DECLARE_bool(r);
DECLARE_bool(recursive);
DECLARE_bool(version);  // gflags defines it.

namespace gcsflux::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kSignalled = 128;

// With one write, so that lines of several processes (xargs -P) do not mix.
void Say(const std::string& message) { std::cerr << "gcsflux: " + Printable(message) + '\n'; }

int Complain(const Error& error) {
  Say(error.message);
  return error.code == ErrorCode::kInvalidArgument && error.http_status == 0 ? kWrongUsage : kFailed;
}

int WrongUsage(const std::string& message) {
  Say(message);
  return kWrongUsage;
}

std::string Usage(const Command& command) {
  return "gcsflux " + std::string(command.name) + " " + std::string(command.arguments);
}

void PrintProgramHelp() {
  std::cout << "gcsflux COMMAND [flags] ...: Google Cloud Storage from the command line\n\nCommands:\n";
  for (const Command* command : Commands())
    std::cout << "  " << Usage(*command) << "\n      " << command->summary << '\n';
  std::cout << "\n`gcsflux COMMAND --help` shows a command's help, `gcsflux --version` prints the version. Names "
               "are gs://bucket/object (or gcs://); - is standard input or output.\n"
               "Exit status: 0 (success), 1 (the operation failed), 2 (wrong usage), 130 or 143 (ended by SIGINT or\n"
               "SIGTERM).\n\nFlags:\n"
            << FlagsHelp(__FILE__);
}

void PrintCommandHelp(const Command& command) {
  std::cout << Usage(command) << '\n'
            << command.summary << '\n'
            << command.details << "\nFlags:\n"
            << CommandFlagsHelp(command.name);
}

int Execute(const Command& command, const std::vector<std::string>& arguments) {
  auto options = ClientOptionsFromFlags();
  if (!options) return Complain(options.error());
  const auto client = Client::Create(*std::move(options));
  if (!client) return Complain(client.error());
  const auto done = command.run(*client, arguments);
  // Before the final message.
  std::cout.flush();
  const auto traced = CloseTraceFile();
  if (const int signal = ReceivedSignal(); signal != 0) {
    Say(command.is_resumable ? "interrupted; to continue, run the same command again" : "interrupted");
    return kSignalled + signal;
  }
  if (!done) return Complain(done.error());
  if (!traced) return Complain(traced.error());
  return 0;
}

int Run(int argc, const char* const* argv) {
  // A user waits at the terminal: the command reports an outage sooner than a training run would.
  for (const char* flag :
       {"list_retry_deadline_s", "download_retry_deadline_s", "upload_retry_deadline_s", "metadata_retry_deadline_s"}) {
    gflags::SetCommandLineOptionWithMode(flag, "30", gflags::SET_FLAGS_DEFAULT);
  }
  auto words = ParseFlags(argc, argv);
  if (!words) return Complain(words.error());
  if (FLAGS_version) {
    std::cout << "gcsflux " << kVersion << '\n';
    return 0;
  }
  if (words->empty() && HelpRequested()) return PrintProgramHelp(), 0;
  if (words->empty()) return WrongUsage("a command is missing; gcsflux --help lists them");
  const auto commands = Commands();
  const auto found = std::ranges::find(commands, words->front(), &Command::name);
  if (found == commands.end()) {
    return WrongUsage("there is no command '" + words->front() + "'; gcsflux --help lists them");
  }
  const Command* const command = *found;
  if (HelpRequested()) return PrintCommandHelp(*command), 0;
  if (auto checked = CheckFlags(command->name); !checked) return Complain(checked.error());
  if (FLAGS_r) FLAGS_recursive = true;
  words->erase(words->begin());
  if (words->size() < command->min_arguments || words->size() > command->max_arguments) {
    return WrongUsage("usage: " + Usage(*command));
  }
  return Execute(*command, *words);
}

// What only a defect or a lack of memory throws.
int RunAndCatch(int argc, const char* const* argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& failure) {
    Say(failure.what());
    return kFailed;
  }
}

// The exit status also tells whether the output could be written.
int Finish(int status) {
  const auto flushed = FlushOutput();
  if (flushed || status != 0) return status;
  return Complain(flushed.error());
}

}  // namespace
}  // namespace gcsflux::cli

int main(int argc, char** argv) {
  gcsflux::cli::OpenClosedDescriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // Output beyond the limit on file sizes is an ordinary error.
  std::ios::sync_with_stdio(false);
  return gcsflux::cli::Finish(gcsflux::cli::RunAndCatch(argc, argv));
}
