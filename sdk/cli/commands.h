#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

constexpr std::size_t kAnyNumber = 1'000'000;

/// One sub-command of the program.
struct Command {
  std::string_view name = {};
  std::string_view arguments = {};  ///< For the usage line.
  std::string_view summary = {};    ///< One line.
  std::string_view details = {};    ///< The rest of its --help.
  std::size_t min_arguments = 1;
  std::size_t max_arguments = kAnyNumber;
  /// kInvalidArgument means wrong usage (exit status 2). Any other error means a failed operation (1).
  Result<void> (*run)(const Client& client, const std::vector<std::string>& arguments) = nullptr;
  bool is_resumable = false;  ///< If it is run again after an interruption, it continues.
};

// Each is in the file of its name.
extern const Command kMb;
extern const Command kLs;
extern const Command kCp;
extern const Command kSync;
extern const Command kCat;
extern const Command kStat;
extern const Command kRm;
extern const Command kClean;
extern const Command kCheckpoint;

/// All commands, in the order of the help.
std::span<const Command* const> Commands();

}  // namespace gcsflux::cli
