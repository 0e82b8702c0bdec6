#pragma once

#include <chrono>
#include <string>

namespace gcsflux::internal {

/// What goes behind "Bearer", and how long it is good for.
struct AccessToken {
  using Time = std::chrono::system_clock::time_point;

  std::string text = {};
  Time obtained = {};
  Time expires = Time::max();
};

enum class TokenState {
  kFresh,
  kAgeing,   ///< Good, but the next one should be fetched meanwhile.
  kExpired,  ///< Or so near to it that it could expire on its way.
};
TokenState StateAt(const AccessToken& token, AccessToken::Time now);

/// True for what can stand in a header: not empty, printable ASCII without blanks.
bool IsTokenText(std::string_view text);

}  // namespace gcsflux::internal
