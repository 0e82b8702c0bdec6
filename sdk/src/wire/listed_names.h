#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text/printable.h"
#include "gcsflux/result.h"

// Checks of a listing's pages, so that a faulty service is neither believed nor asked for ever.
namespace gcsflux::internal {

/// The most pages in a row without new names, each with a token for a next page. A service may search many deleted
/// objects for a page.
inline constexpr std::size_t kMostBarrenPages = 1000;

inline Error EndlessListing() {
  return {ErrorCode::kBadResponse, "the service has shown " + std::to_string(kMostBarrenPages) +
                                       " pages in a row without anything new, and says that there are more"};
}

/// Checks the names, or prefixes, of one listing over all its pages: returns kBadResponse if `name` is not behind
/// `before` in bytewise order.
inline Result<void> CheckIsBehind(std::string_view name, std::string_view before) {
  if (before < name) return {};
  const auto shown = [](std::string_view text) { return "'" + Printable(std::string(text), '?') + "'"; };
  if (before == name) return Error{ErrorCode::kBadResponse, "the service lists " + shown(name) + " twice"};
  return Error{ErrorCode::kBadResponse,
               "the service's names are not in bytewise order: " + shown(name) + " comes after " + shown(before)};
}

}  // namespace gcsflux::internal
