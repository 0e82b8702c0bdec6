#include "event_loops/client_process.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "peer.h"

namespace gcsflux::bench {
namespace {

// For the shell.
std::string Quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string FlagsOfThisLine() {
  std::ifstream line("/proc/self/cmdline");
  std::string flags;
  std::string word;
  std::getline(line, word, '\0');
  while (std::getline(line, word, '\0')) {
    if (!word.starts_with("--benchmark_")) flags += " " + Quoted(word);
  }
  return flags;
}

}  // namespace

std::string ProgramBeside(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

Figures RunClient(const ClientRun& run) {
  std::ostringstream command;
  command << Quoted(ProgramBeside("in_flight_client")) << " --way=" << run.way << " --endpoint=" << run.endpoint
          << " --connections=" << run.connections << " --warm_up=" << run.warm_up << " --reads=" << run.reads
          << " --object_bytes=" << run.object_bytes << " --generation=" << run.generation;
  if (!run.ca_file.empty()) command << " --ca_file=" << Quoted(run.ca_file);
  std::istringstream output(OutputOf(command.str() + FlagsOfThisLine()));
  Figures figures;
  std::string name;
  for (double value = 0; output >> name >> value;) figures[name] = value;
  return figures;
}

}  // namespace gcsflux::bench
