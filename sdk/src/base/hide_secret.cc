#include "base/hide_secret.h"

namespace gcsflux::internal {

void HideSecret(std::string& text, std::string_view secret) {
  constexpr std::string_view kShown = "[secret]";
  if (secret.size() < kShown.size()) return;
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + kShown.size())) {
    text.replace(at, secret.size(), kShown);
  }
}

}  // namespace gcsflux::internal
