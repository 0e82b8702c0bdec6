#pragma once

#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// How Google's clients tell the attempts of one call apart.
struct ClientAttempt {
  std::string invocation_id = {};  ///< One for all attempts of a call; empty where the client does not say.
  int attempt = 0;                 ///< From 1; 0 where the client does not say.
};

/// From the value of x-goog-api-client: "... gccl-invocation-id/UUID gccl-attempt-count/N". What is malformed counts
/// as not said.
ClientAttempt ParseClientAttempt(std::string_view header);

}  // namespace gcsflux::emulator
