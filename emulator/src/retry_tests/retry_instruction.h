#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// What happens to the next request of a method, in the words of the retry tests of Google's clients.
struct RetryInstruction {
  enum class Kind {
    kReturnStatus,        ///< return-N: the operation does not run.
    kResetConnection,     ///< return-reset-connection: the operation does not run, and no byte is answered.
    kBrokenStream,        ///< return-broken-stream: the operation runs, and its answer breaks off early.
    kBrokenStreamAfter,   ///< return-broken-stream-after-YK: a download breaks off after `bytes`.
    kStatusAfter,         ///< return-N-after-YK: an upload fails once `bytes` of the object have arrived.
    kBrokenFinalChunk,    ///< return-broken-stream-final-chunk-after-YB: the answer to a complete upload breaks off.
    kStallAfter,          ///< stall-for-Ts-after-YK: one pause.
    kUnreachableBuckets,  ///< return-unreachable-buckets-A,B: a list of buckets lacks these.
  };
  Kind kind = Kind::kReturnStatus;
  int status = 0;
  std::uint64_t bytes = 0;
  std::chrono::seconds stall{0};
  std::string buckets = {};  ///< Their names, separated by commas.
};

/// Nothing if it is none of them. A status is 100 to 599.
std::optional<RetryInstruction> ParseRetryInstruction(std::string_view text);

}  // namespace gcsflux::emulator
