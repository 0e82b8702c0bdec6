#include "cli/command_flags.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <vector>

#include "gcsflux/flags.h"

DEFINE_bool(recursive, false,
            "ls, rm, cp: everything under the prefix or in the directory, instead of one level or one "
            "object.");
DEFINE_bool(r, false, "ls, rm, cp: short for --recursive.");

namespace gcsflux::cli {
namespace {

// Whether a source is the command's. The path may begin anywhere above sdk/.
bool IsOfCommand(std::string_view path) {
  const auto sdk = path.rfind("sdk/");
  return sdk != path.npos && path.substr(sdk).starts_with("sdk/cli/");
}

// The program's own flags, without those of the libraries.
std::vector<gflags::CommandLineFlagInfo> OwnFlags() {
  std::vector<gflags::CommandLineFlagInfo> flags;
  gflags::GetAllFlags(&flags);
  std::erase_if(flags, [](const auto& flag) { return !IsOfCommand(flag.filename); });
  return flags;
}

}  // namespace

bool IsForCommand(std::string_view description, std::string_view command) {
  std::string_view list = description.substr(0, description.find(':'));
  while (!list.empty()) {
    const auto comma = std::min(list.find(", "), list.size());
    const std::string_view item = list.substr(0, comma);
    if (item.substr(0, item.find(' ')) == command) return true;
    list.remove_prefix(std::min(comma + 2, list.size()));
  }
  return false;
}

std::string CommandFlagsHelp(std::string_view command) {
  std::string text;
  for (const auto& flag : OwnFlags()) {
    if (!IsForCommand(flag.description, command)) continue;
    text.append("  --").append(flag.name).append(" (");
    text.append(flag.default_value.empty() ? "empty" : flag.default_value).append(")\n      ");
    text.append(flag.description).append("\n");
  }
  return text + FlagsHelp("");
}

Result<void> CheckFlags(std::string_view command) {
  for (const auto& flag : OwnFlags()) {
    if (flag.is_default || IsForCommand(flag.description, command)) continue;
    return Error{ErrorCode::kInvalidArgument, "flag --" + flag.name + " is not for the command '" +
                                                  std::string(command) + "'; gcsflux " + std::string(command) +
                                                  " --help lists those that are"};
  }
  return {};
}

}  // namespace gcsflux::cli
