#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

constexpr std::size_t kAnyNumber = 1'000'000;

/// A flag of a command.
struct CommandFlag {
  std::string_view name = {};     ///< As gflags knows it. Empty: the letters are accepted, and change nothing.
  std::string_view letters = {};  ///< "rR": -r and -R.
  std::string_view help = {};     ///< Instead of the description that gflags has.
};

/// A command's own flags, and those of a filter (arguments/filter.h).
template <std::size_t N>
constexpr std::array<CommandFlag, N + 5> WithFilterFlags(const CommandFlag (&own)[N]) {
  std::array<CommandFlag, N + 5> flags = {};
  std::copy(own, own + N, flags.begin());
  std::size_t at = N;
  for (const char* name : {"include", "exclude", "newer_than", "larger_than", "smaller_than"}) flags[at++] = {name};
  return flags;
}

/// One command of the program: a row of the table by which lines are read and help is written.
struct Command {
  std::string_view name = {};       ///< One word, or two: "checkpoint convert".
  std::string_view arguments = {};  ///< For the usage line.
  std::string_view summary = {};    ///< One line.
  std::string_view details = {};    ///< The rest of its --help.
  std::span<const CommandFlag> flags = {};
  std::size_t min_arguments = 1;
  std::size_t max_arguments = kAnyNumber;
  /// kInvalidArgument means wrong usage (exit status 2). Any other error means a failed operation (1).
  Result<void> (*run)(const Client& client, const std::vector<std::string>& arguments) = nullptr;
  bool is_resumable = false;  ///< If it is run again after an interruption, it continues.
};

// Each is in the file of its name, and those on checkpoints are in the folder checkpoint.
extern const Command kCat;
extern const Command kClean;
extern const Command kCompareRuns;
extern const Command kCompose;
extern const Command kConvert;
extern const Command kCp;
extern const Command kDiff;
extern const Command kDoctor;
extern const Command kDu;
extern const Command kHash;
extern const Command kIndexShards;
extern const Command kInspect;
extern const Command kListRuns;
extern const Command kListShards;
extern const Command kListSteps;
extern const Command kLs;
extern const Command kMb;
extern const Command kMv;
extern const Command kPackShards;
extern const Command kPrune;
extern const Command kRb;
extern const Command kRemoveStep;
extern const Command kRm;
extern const Command kRun;
extern const Command kSetmeta;
extern const Command kSign;
extern const Command kStat;
extern const Command kSync;
extern const Command kUnpackShards;
extern const Command kVerify;

/// All commands, in the order of the help.
std::span<const Command* const> Commands();

/// The flags that every command has, and that its help names. The library's other flags are behind --help_all.
std::span<const CommandFlag> CommonFlags();

}  // namespace gcsflux::cli
