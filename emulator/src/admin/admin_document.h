#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// A document below /_emulator/. GET shows it, PUT replaces all of it, in JSON, and DELETE clears it.
struct AdminDocument {
  std::string_view path;  ///< The path after "/_emulator/"; never destroyed.
  std::function<std::string()> show;
  /// If the document is wrong, throws std::invalid_argument and changes nothing; its text becomes a 400. Null if the
  /// document cannot be replaced.
  std::function<void(std::string_view)> replace = {};
  std::function<void()> clear = {};  ///< Likewise.
};

}  // namespace gcsflux::emulator
