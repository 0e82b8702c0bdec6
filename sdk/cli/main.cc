// The `gcsflux` command: sub-commands on gs:// URIs. Exit status 0, 1 (the operation failed), 2 (wrong usage), or
// 128 and the signal that interrupted it.
#include <gflags/gflags.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/names.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "gcsflux/client.h"
#include "gcsflux/flags.h"
#include "gcsflux/version.h"

DEFINE_bool(help_all, false, "The help, with all flags.");
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

// "gs://b/d" is no object where there is "gs://b/d/f", but many type it as a directory. Looks only after it failed.
Error WithHintOfDirectory(const Client& client, const Command& command, const std::vector<std::string>& arguments,
                          Error error) {
  if (error.code != ErrorCode::kNotFound || FLAGS_recursive) return error;
  for (const std::string& argument : arguments) {
    const auto name = ParseObject(argument);
    const auto is_named_before = [&](const char* end) {
      return error.message.find(argument + end) != error.message.npos;
    };
    if (!name || !(is_named_before(":") || is_named_before(" ["))) continue;
    const ObjectName directory{name->bucket, AsDirectory(name->name)};
    const auto below = client.ListObjects(directory, {.max_results = 1});
    if (!below || below->objects.empty()) continue;
    const bool has_r = std::ranges::any_of(command.flags, [](const auto& flag) { return flag.name == "recursive"; });
    error.message += "; " + ToUri(directory) + " is a directory" + (has_r ? ": add -r" : "");
    break;
  }
  return error;
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
  if (!done) return Complain(WithHintOfDirectory(*client, command, arguments, done.error()));
  if (!traced) return Complain(traced.error());
  return 0;
}

int PrintHelp(const std::vector<std::string>& arguments) {
  const auto help = Help(arguments, FLAGS_help_all);
  if (!help) return Complain(help.error());
  std::cout << *help;
  return 0;
}

// Of a line whose flags cannot be read. If its command is another program's, so are its flags.
Error WhatIsWrong(const std::vector<std::string>& line, const Error& error) {
  constexpr std::string_view kOthers[] = {"completion", "help", "man", "version"};
  const std::string& first = line.front();
  if (first.starts_with("-") || std::ranges::find(kOthers, first) != std::end(kOthers)) return error;
  const auto command = FindCommand(line);
  if (!command) return command.error();
  // Letters that the command does not have were read as the name of a flag.
  const auto letters = std::ranges::find_if(line, [&](const std::string& word) {
    return word.starts_with("-") && !word.starts_with("--") && error.message.starts_with("unknown flag -" + word + ";");
  });
  if (letters == line.end()) return error;
  const std::string name((*command)->name);
  return Error{ErrorCode::kInvalidArgument,
               "'" + *letters + "' is not a flag of " + name + "; gcsflux help " + name + " lists them"};
}

int Run(int argc, const char* const* argv) {
  // A user waits at the terminal: the command reports an outage sooner than a training run would.
  for (const char* flag :
       {"list_retry_deadline_s", "download_retry_deadline_s", "upload_retry_deadline_s", "metadata_retry_deadline_s"}) {
    gflags::SetCommandLineOptionWithMode(flag, "30", gflags::SET_FLAGS_DEFAULT);
  }
  const std::vector<std::string> line = ExpandLetters({argv + 1, argv + argc});
  std::vector<const char*> words = {argv[0]};
  for (const std::string& word : line) words.push_back(word.c_str());
  auto arguments = ParseFlags(static_cast<int>(words.size()), words.data());
  if (!arguments) return Complain(WhatIsWrong(line, arguments.error()));
  const std::string first = arguments->empty() ? "" : arguments->front();
  if (FLAGS_version || first == "version") {
    std::cout << "gcsflux " << kVersion << '\n';
    return 0;
  }
  if (first == "completion" && !HelpRequested()) {
    const auto script = CompletionScript(arguments->size() == 2 ? arguments->back() : "");
    if (!script) return Complain(script.error());
    std::cout << *script;
    return 0;
  }
  if (first == "man" && !HelpRequested()) {
    std::cout << ManPage();
    return 0;
  }
  if (first == "help") arguments->erase(arguments->begin());
  if (HelpRequested() || FLAGS_help_all || first == "help") return PrintHelp(*arguments);
  const auto call = ReadCall(*std::move(arguments));
  if (!call) return Complain(call.error());
  return Execute(*call->command, call->arguments);
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
