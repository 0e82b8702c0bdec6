#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// The length of the answer's body. Nothing if only its end tells.
inline std::optional<std::uint64_t> BodySize(const HttpResponse& response) {
  if (const auto* text = std::get_if<std::string>(&response.body)) return text->size();
  if (const auto* bytes = std::get_if<Rope>(&response.body)) return bytes->size();
  return std::nullopt;
}

}  // namespace gcsflux::emulator
