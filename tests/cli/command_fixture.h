#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "support/child_program.h"
#include "support/test_directory.h"

namespace gcsflux::cli {

/// The result of a run of the command.
struct Outcome {
  int status = 0;
  std::string out = {};
  std::string err = {};
};

/// The gcsflux program, run against an emulator in this process that holds the empty bucket "bkt".
class CommandTest : public ::testing::Test {
 protected:
  void SetUp() override;

  /// Of the programs.
  [[nodiscard]] std::vector<std::string> Environment() const;
  /// Starts it; paths in the arguments are below directory_.
  [[nodiscard]] testing::ChildProgram Start(const std::vector<std::string>& arguments) const;
  Outcome Run(const std::vector<std::string>& arguments) const;
  /// The same, but the first `held` matching requests are held until all have arrived: it ends only if the command
  /// sends so many in parallel.
  Outcome RunHeld(const std::vector<std::string>& arguments, const emulator::FaultMatch& match, std::size_t held = 2);

  /// Starts it, waits until so many requests stall, and sends the signal. The fault of Load() must have fired once; no
  /// fault is left.
  Outcome Interrupt(const std::vector<std::string>& arguments, int signal, std::size_t stalled = 1);

  void WriteFile(const std::string& name, const std::string& bytes) const;
  [[nodiscard]] std::string ReadFile(const std::string& name) const;
  /// Every regular file below a directory, by its path from there, sorted.
  [[nodiscard]] std::vector<std::string> Files(const std::string& name) const;
  void Store(const std::string& name, const std::string& bytes);
  [[nodiscard]] std::string Stored(const std::string& name);
  /// Every object's name in the bucket.
  [[nodiscard]] std::vector<std::string> Objects();
  /// Requests of an operation that the emulator has answered.
  [[nodiscard]] std::uint64_t Requests(const std::string& operation) const;
  [[nodiscard]] std::string PathOf(const std::string& name) const { return directory_.path() / name; }

  /// The same on a terminal, which `script` of Debian's bsdutils provides: `out` is all its output. `redirection` is
  /// for the shell: ">file". `typed` is a line that the user types.
  Outcome RunOnTerminal(const std::vector<std::string>& arguments, const std::string& redirection = "",
                        const std::string& typed = "") const;
  static Outcome Finish(testing::ChildProgram& program);

  /// Applies this fault once, to the first matching request, by the name "fault".
  void Load(const emulator::FaultMatch& match, const emulator::FaultAction& action);

  emulator::Emulator emulator_{{.journal_size = 100'000}};
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
  testing::TestDirectory directory_;
};

}  // namespace gcsflux::cli
