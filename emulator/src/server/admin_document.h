#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// Something under /_emulator/ that GET shows, and PUT replaces as a whole, in JSON.
struct AdminDocument {
  std::string_view path;  ///< Behind "/_emulator/"; lives for ever.
  std::function<std::string()> show;
  /// Throws std::invalid_argument, and changes nothing then; what it says becomes a 400.
  std::function<void(std::string_view)> replace;
};

}  // namespace gcsflux::emulator
