#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "gcsflux/result.h"
#include "http/headers.h"

// Which texts can be headers. Any other text could end its header and begin another one.
namespace gcsflux::internal {

/// RFC 9110, section 5.6.2.
inline bool IsHeaderName(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

/// RFC 9110, section 5.5: no control characters. Blanks at the ends are not sent.
inline bool IsHeaderValue(std::string_view value) {
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != '\x7F'); });
}

/// Returns kInvalidArgument if one of the headers cannot be sent as it is. The message does not show its value, which
/// may be a secret.
inline Result<void> CheckHeaders(const Headers& headers) {
  for (const auto& [name, value] : headers) {
    constexpr std::size_t kShownBytes = 64;
    if (!IsHeaderName(name)) {
      return Error{ErrorCode::kInvalidArgument,
                   "'" + std::string(name.substr(0, kShownBytes)) + "' cannot be a header's name"};
    }
    if (!IsHeaderValue(value)) {
      return Error{ErrorCode::kInvalidArgument, "the header " + std::string(name.substr(0, kShownBytes)) +
                                                    " would have a control character, such as a line break"};
    }
  }
  return {};
}

}  // namespace gcsflux::internal
