#pragma once

#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// How Google's clients number the attempts of one call.
struct ClientAttempt {
  std::string invocation_id = {};  ///< One for all attempts of a call; empty if the client does not send it.
  int attempt = 0;                 ///< From 1; 0 if the client does not send it.
};

/// Reads the value of x-goog-api-client: "... gccl-invocation-id/UUID gccl-attempt-count/N". A malformed part counts as
/// absent.
ClientAttempt ParseClientAttempt(std::string_view header);

}  // namespace gcsflux::emulator
