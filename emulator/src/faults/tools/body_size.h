#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// How long the answer's body is; nothing where only its end will tell.
inline std::optional<std::uint64_t> BodySize(const HttpResponse& response) {
  if (const auto* text = std::get_if<std::string>(&response.body)) return text->size();
  if (const auto* bytes = std::get_if<Rope>(&response.body)) return bytes->size();
  return std::nullopt;
}

}  // namespace gcsflux::emulator
