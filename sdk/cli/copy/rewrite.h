#pragma once

#include <cstdint>

#include "cli/copy/route.h"

namespace gcsflux::cli {

/// Copies within the service, without moving bytes here. Each attempt replaces exactly the generation that was found,
/// so that its requests can be repeated. What was listed of the source, and the entry that the call replaces, save two
/// requests if they are still true. Returns the generation of the source that was copied, and kAlreadyExists if the
/// WriteMode is kCreate and the destination exists.
Result<std::int64_t> Rewrite(const Client& client, const ObjectName& source, const ObjectName& destination,
                             const TreeEntry& listed, const RouteOptions& options, const CopyCall& call);

}  // namespace gcsflux::cli
