#include "identity/tokens.h"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "identity/base64url.h"

namespace gcsflux::emulator {
namespace {

// With the prefix by which secret scanners recognise the service's tokens.
std::string NewText() {
  std::array<unsigned char, 32> random{};
  if (::RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) throw std::runtime_error("no randomness");
  return "ya29." + EncodeBase64Url(std::string_view(reinterpret_cast<const char*>(random.data()), random.size()));
}

}  // namespace

AccessToken Tokens::Issue(Principal principal, std::chrono::seconds lifetime) {
  const Time now = clock_();
  AccessToken token{NewText(), now + lifetime, lifetime};
  const std::scoped_lock lock(mutex_);
  if (issued_.size() >= sweep_at_) RemoveExpiredLocked(now);
  issued_.emplace(token.text, Issued{std::move(principal), token.expires});
  return token;
}

std::optional<Principal> Tokens::Find(std::string_view text) const {
  const Time now = clock_();
  const std::scoped_lock lock(mutex_);
  const auto found = issued_.find(text);
  if (found == issued_.end() || found->second.expires <= now) return std::nullopt;
  return found->second.principal;
}

void Tokens::RemoveExpiredLocked(Time now) {
  std::erase_if(issued_, [&](const auto& entry) { return entry.second.expires <= now; });
  sweep_at_ = std::max<std::size_t>(1024, 2 * issued_.size());
}

}  // namespace gcsflux::emulator
