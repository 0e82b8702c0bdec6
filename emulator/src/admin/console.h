#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// A file of emulator/console/, without its folder. Both texts are never destroyed.
struct ConsoleFile {
  std::string_view name;
  std::string_view text;
};

/// All of them. The build writes the definition.
std::span<const ConsoleFile> ConsoleFiles();

/// The console's page, or a file that it loads. `path` is relative to /_emulator/; nothing if it is neither. They hold
/// no data, so that they need no token: a browser that opens a page cannot send one.
std::optional<HttpResponse> ConsoleResponse(std::string_view path);

}  // namespace gcsflux::emulator
