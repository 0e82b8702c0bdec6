#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// The result of a listing. If it is still true, it saves two requests.
struct RewriteGuess {
  std::int64_t source_generation = 0;
  std::int64_t live_generation = 0;  ///< At the destination; 0: there is no object.
  std::optional<std::uint32_t> source_crc32c = {};
};

struct RewriteCall {
  bool may_replace = true;  ///< If false and the destination exists, returns kAlreadyExists.
  std::optional<RewriteGuess> guess = {};
  std::optional<std::string> content_type = {};   ///< Of the copy; if absent, the source's.
  std::optional<std::string> cache_control = {};  ///< The same.
  ProgressCallback on_progress = {};
  std::stop_token stop = {};
};

/// Copies within the service, without moving bytes here. Each attempt replaces exactly the generation that was found,
/// so that its requests can be repeated. Returns the generation of the source that was copied.
Result<std::int64_t> Rewrite(const Client& client, const ObjectName& source, const ObjectName& destination,
                             const RewriteCall& call);

}  // namespace gcsflux::cli
