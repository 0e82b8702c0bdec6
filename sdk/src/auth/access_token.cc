#include "auth/access_token.h"

#include <algorithm>

namespace gcsflux::internal {

TokenState StateAt(const AccessToken& token, AccessToken::Time now) {
  using std::chrono::seconds;
  if (token.expires == AccessToken::Time::max()) return TokenState::kFresh;
  // Until 4 minutes before its end the metadata server returns the same token again.
  // https://cloud.google.com/compute/docs/access/authenticate-workloads#applications
  constexpr seconds kAhead(225);
  constexpr seconds kOnItsWay(10);
  const auto life = token.expires - token.obtained;
  // A token with a short lifetime is still used for most of it.
  if (now >= token.expires - std::min<AccessToken::Time::duration>(kOnItsWay, life / 10)) return TokenState::kExpired;
  if (now >= token.expires - std::min<AccessToken::Time::duration>(kAhead, life / 4)) return TokenState::kAgeing;
  return TokenState::kFresh;
}

bool IsTokenText(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7F'; });
}

}  // namespace gcsflux::internal
