#pragma once

#include <atomic>
#include <cstdint>

#include "cli/copy/route.h"

namespace gcsflux::cli {

struct Rewritten {
  std::int64_t source_generation = 0;  ///< What was copied or moved.
  bool is_moved = false;               ///< The source has gone in the same step.
};

/// Copies within the service, without moving bytes here. Each attempt replaces exactly the generation that was found,
/// so that its requests can be repeated. What was listed of the source, and the entry that the call replaces, save two
/// requests if they are still true. Returns kAlreadyExists if the WriteMode is kCreate and the destination exists.
///
/// A move within a bucket is one step of the service (objects.move), if the service has it; otherwise only a copy is
/// made. `is_move_served` is set to false if it does not: the next calls need not try.
Result<Rewritten> Rewrite(const Client& client, const ObjectName& source, const ObjectName& destination,
                          const TreeEntry& listed, const RouteOptions& options, const CopyCall& call,
                          std::atomic<bool>& is_move_served);

}  // namespace gcsflux::cli
