#include "base/carried_secrets.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/hide_secret.h"

namespace gcsflux::internal {

void CarriedSecrets::NoteToken(std::shared_ptr<const std::string> token) {
  if (token == tokens_.front()) return;
  tokens_.back() = std::move(tokens_.front());
  tokens_.front() = std::move(token);
}

void CarriedSecrets::Note(std::string secret) {
  if (std::find(own_.begin(), own_.end(), secret) == own_.end()) own_.push_back(std::move(secret));
}

void CarriedSecrets::HideIn(Error& error) const {
  std::vector<std::string_view> secrets(own_.begin(), own_.end());
  if (shared_ != nullptr) secrets.insert(secrets.end(), shared_->begin(), shared_->end());
  for (const auto& token : tokens_) {
    if (token != nullptr) secrets.push_back(*token);
  }
  HideSecrets(error.message, secrets);
  HideSecrets(error.reason, secrets);
}

}  // namespace gcsflux::internal
