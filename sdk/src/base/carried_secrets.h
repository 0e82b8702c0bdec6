#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// What the requests of one call have carried that no message may show. To note a token costs a pointer: what it takes
/// to find secrets is paid for by failures. Not thread-safe.
class CarriedSecrets {
 public:
  /// Those that all requests of a client carry; null where there are none.
  void NoteShared(std::shared_ptr<const std::vector<std::string>> secrets) { shared_ = std::move(secrets); }
  /// The last two tokens are kept: a call that lives longer has had answers about no older ones.
  void NoteToken(std::shared_ptr<const std::string> token);
  void Note(std::string secret);

  /// Puts "[secret]" wherever one of them, or a piece of one, stands in the error's texts.
  void HideIn(Error& error) const;

 private:
  std::shared_ptr<const std::vector<std::string>> shared_;
  std::array<std::shared_ptr<const std::string>, 2> tokens_;  // the last one first
  std::vector<std::string> own_;
};

}  // namespace gcsflux::internal
