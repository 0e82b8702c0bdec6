#include "cli/commands.h"

namespace gcsflux::cli {

std::span<const Command* const> Commands() {
  static constexpr const Command* kCommands[] = {&kMb, &kLs, &kCp, &kSync, &kCat, &kStat, &kRm, &kClean, &kCheckpoint};
  return kCommands;
}

}  // namespace gcsflux::cli
