#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// What a listing has said, which saves two requests where it is still so.
struct RewriteGuess {
  std::int64_t source_generation = 0;
  std::int64_t live_generation = 0;  ///< At the destination; 0: nothing is there.
};

struct RewriteCall {
  bool may_replace = true;  ///< Otherwise kAlreadyExists where something is there.
  std::optional<RewriteGuess> guess = {};
  std::optional<std::string> content_type = {};  ///< Of the copy; the source's unless set.
  ProgressCallback on_progress = {};
  std::stop_token stop = {};
};

/// The service copies; no byte comes here. Each try replaces what was looked at and nothing later, so that its requests
/// can be repeated.
Result<void> Rewrite(const Client& client, const ObjectName& source, const ObjectName& destination,
                     const RewriteCall& call);

}  // namespace gcsflux::cli
