#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// One sub-command of the program.
struct Command {
  std::string_view name;
  std::string_view arguments;  ///< As the usage line shows them.
  std::string_view summary;    ///< One line.
  std::string_view details;    ///< The rest of its --help.
  std::size_t min_arguments;
  std::size_t max_arguments;
  /// kInvalidArgument means wrong usage (exit status 2), any other error a failed operation (1).
  Result<void> (*run)(const Client& client, const std::vector<std::string>& arguments);
  bool is_resumable = false;  ///< Given again after an interruption, it goes on.
};

/// All of them, in the order of the help.
const std::vector<Command>& Commands();

}  // namespace gcsflux::cli
