#pragma once

#include <set>
#include <string>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// The pages of one listing that were asked for. A service that names one of them as the next would be followed for
/// ever.
class PageTokens {
 public:
  /// kBadResponse where `token` was taken before. The empty one stands for the end, and is taken as often as it comes.
  Result<void> Take(const std::string& token) {
    if (token.empty() || seen_.insert(token).second) return {};
    return Error{ErrorCode::kBadResponse, "the service names a page as the next one that it has shown before"};
  }

 private:
  std::set<std::string> seen_;
};

}  // namespace gcsflux::internal
