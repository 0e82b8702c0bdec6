#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// One sub-command of the program.
struct Command {
  std::string_view name;
  std::string_view arguments;  ///< For the usage line.
  std::string_view summary;    ///< One line.
  std::string_view details;    ///< The rest of its --help.
  std::size_t min_arguments;
  std::size_t max_arguments;
  /// kInvalidArgument means wrong usage (exit status 2). Any other error means a failed operation (1).
  Result<void> (*run)(const Client& client, const std::vector<std::string>& arguments);
  bool is_resumable = false;  ///< If it is run again after an interruption, it continues.
};

/// All commands, in the order of the help.
const std::vector<Command>& Commands();

}  // namespace gcsflux::cli
