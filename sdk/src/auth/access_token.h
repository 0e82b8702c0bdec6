#pragma once

#include <chrono>
#include <string>

namespace gcsflux::internal {

/// The text behind "Bearer", and its lifetime.
struct AccessToken {
  using Time = std::chrono::system_clock::time_point;

  std::string text = {};
  Time obtained = {};
  Time expires = Time::max();
};

enum class TokenState {
  kFresh,
  kAgeing,   ///< Valid, but the next one should be fetched meanwhile.
  kExpired,  ///< Expired, or so soon that it could expire in transit.
};
TokenState StateAt(const AccessToken& token, AccessToken::Time now);

/// True if a header can hold the text: not empty, printable ASCII without blanks.
bool IsTokenText(std::string_view text);

}  // namespace gcsflux::internal
