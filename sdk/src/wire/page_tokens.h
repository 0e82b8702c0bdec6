#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "gcsflux/result.h"
#include "wire/listed_names.h"

namespace gcsflux::internal {

/// The pages of one listing that were asked for. A service that names one of them as the next, or shows pages without
/// anything new for ever, would be followed for ever.
class PageTokens {
 public:
  /// The token of a page; `is_barren`: that page has nothing new. kBadResponse where the token was taken before, and
  /// after kMostBarrenPages in a row. The empty token stands for the end, and is taken as often as it comes.
  Result<void> Take(const std::string& token, bool is_barren) {
    if (token.empty()) return {};
    barren_ = is_barren ? barren_ + 1 : 0;
    if (barren_ >= kMostBarrenPages) return EndlessListing();
    if (seen_.insert(token).second) return {};
    return Error{ErrorCode::kBadResponse, "the service names a page as the next one that it has shown before"};
  }

 private:
  std::set<std::string> seen_;
  std::size_t barren_ = 0;  // Pages in a row.
};

}  // namespace gcsflux::internal
