#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "gcsflux/result.h"
#include "wire/listed_names.h"

namespace gcsflux::internal {

/// The page tokens of one listing. Without this check, a service that names an earlier page as the next one, or returns
/// pages without new names, would be requested without end.
class PageTokens {
 public:
  /// Adds the token of a page; `is_barren`: the page has no new names. Returns kBadResponse if the token was used
  /// before, or after kMostBarrenPages in a row. The empty token means the end, and is always accepted.
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
