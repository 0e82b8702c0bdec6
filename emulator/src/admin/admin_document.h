#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// Something under /_emulator/ that GET shows, PUT replaces as a whole, in JSON, and DELETE clears.
struct AdminDocument {
  std::string_view path;  ///< Behind "/_emulator/"; lives for ever.
  std::function<std::string()> show;
  /// Throws std::invalid_argument, and changes nothing then; what it says becomes a 400.
  /// Null where nobody may.
  std::function<void(std::string_view)> replace = {};
  std::function<void()> clear = {};  ///< Likewise.
};

}  // namespace gcsflux::emulator
