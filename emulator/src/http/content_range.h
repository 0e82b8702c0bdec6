#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gcsflux::emulator {

/// The Content-Range header of a request to a resumable session.
struct ContentRange {
  struct Bytes {
    std::uint64_t first = 0;
    std::optional<std::uint64_t> last = {};  ///< Inclusive, not below `first`. Absent for "*": all bytes that follow.
  };
  std::optional<Bytes> bytes = {};          ///< Absent for "*", which asks for the session's state.
  std::optional<std::uint64_t> total = {};  ///< Absent for "*": the client does not know it yet.
};

/// `bytes a-b/N`, `bytes a-*/N` (from Google's Node.js client), `bytes */N`, or any of them with `*` for N. Nothing if
/// it is none of them or contradicts itself.
std::optional<ContentRange> ParseContentRange(std::string_view header);

}  // namespace gcsflux::emulator
