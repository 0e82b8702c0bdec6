#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// The secrets in the requests of one call, which no message may show. To add a token costs a pointer; only failures
/// pay for the search. Not thread-safe.
class CarriedSecrets {
 public:
  /// The secrets in all requests of a client; null if there are none.
  void NoteShared(std::shared_ptr<const std::vector<std::string>> secrets) { shared_ = std::move(secrets); }
  /// Keeps the last two tokens. No answer to a call contains an older one.
  void NoteToken(std::shared_ptr<const std::string> token);
  void Note(std::string secret);

  /// Replaces each secret, and each piece of one, in the error's texts by "[secret]".
  void HideIn(Error& error) const;

 private:
  std::shared_ptr<const std::vector<std::string>> shared_;
  std::array<std::shared_ptr<const std::string>, 2> tokens_;  // the last one first
  std::vector<std::string> own_;
};

}  // namespace gcsflux::internal
