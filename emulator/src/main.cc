// gcsflux-emulator: Google Cloud Storage in memory, as a process of its own.

#include <gflags/gflags.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "gcsflux/emulator/emulator.h"

DEFINE_string(host, "127.0.0.1",
              "Address to listen on. Change it only where the network is trusted: whoever reaches it may read and "
              "write everything.");
DEFINE_uint32(port, 0, "Port to listen on; 0 takes any free one. Set it where clients are configured beforehand.");

namespace {

constexpr std::array kFlags = {"host", "port"};

enum ExitStatus { kOk = 0, kFailed = 1, kWrongUsage = 2 };

int PrintHelp() {
  std::cout << "gcsflux-emulator: Google Cloud Storage in memory, for tests and for work without a network.\n"
               "Prints its address when it is ready, and stops on SIGINT or SIGTERM.\n\n";
  for (const char* name : kFlags) {
    const gflags::CommandLineFlagInfo flag = gflags::GetCommandLineFlagInfoOrDie(name);
    std::cout << "  --" << name << "=" << flag.default_value << "\n      " << flag.description << "\n";
  }
  return kOk;
}

int WrongUsage(const std::string& what) {
  std::cerr << "gcsflux-emulator: " << what << "; see --help\n";
  return kWrongUsage;
}

bool IsOurs(std::string_view name) {
  for (const char* flag : kFlags) {
    if (name == flag) return true;
  }
  return false;
}

// Not gflags' own parser: it ends the process with status 1 and has flags beside ours.
int ParseArguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    const std::size_t dashes = std::min(argument.find_first_not_of('-'), argument.size());
    const std::size_t equals = std::min(argument.find('='), argument.size());
    if (dashes == 0 || dashes > 2) return WrongUsage("unexpected argument '" + std::string(argument) + "'");
    const std::string name(argument.substr(dashes, equals - dashes));
    if (!IsOurs(name)) return WrongUsage("unknown flag '" + std::string(argument) + "'");
    const bool has_value = equals != argument.size();
    if (!has_value && i + 1 == argc) return WrongUsage("--" + name + " needs a value");
    const std::string value = has_value ? std::string(argument.substr(equals + 1)) : argv[++i];
    if (gflags::SetCommandLineOption(name.c_str(), value.c_str()).empty()) {
      return WrongUsage("'" + value + "' is no value for --" + name);
    }
  }
  if (FLAGS_port > std::numeric_limits<std::uint16_t>::max()) {
    return WrongUsage("--port=" + std::to_string(FLAGS_port) + " is above 65535");
  }
  return kOk;
}

bool IsLoopback(std::string_view host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (const std::string_view argument(argv[i]); argument == "--help" || argument == "-h") return PrintHelp();
  }
  if (const int status = ParseArguments(argc, argv); status != kOk) return status;

  // Before any thread starts, so that every thread leaves them to sigwait below.
  sigset_t stop_signals;
  sigemptyset(&stop_signals);
  sigaddset(&stop_signals, SIGINT);
  sigaddset(&stop_signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop_signals, nullptr);
  try {
    gcsflux::emulator::Emulator emulator({.host = FLAGS_host, .port = static_cast<std::uint16_t>(FLAGS_port)});
    if (!IsLoopback(FLAGS_host)) {
      std::cerr << "gcsflux-emulator: warning: " << FLAGS_host
                << " is reachable from outside, and nobody is asked who they are\n";
    }
    std::cout << "gcsflux-emulator listening on " << emulator.endpoint() << std::endl;
    int received = 0;
    sigwait(&stop_signals, &received);
    emulator.Stop();
  } catch (const std::system_error& error) {
    std::cerr << "gcsflux-emulator: " << error.what() << "\n";
    return kFailed;
  }
  return kOk;
}
