#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/printable.h"
#include "gcsflux/result.h"

// What a listing checks of what the service says, so that a service that lies is neither believed nor followed for
// ever.
namespace gcsflux::internal {

/// So many pages in a row may have nothing new, though each says that there are more: the service may look through many
/// deleted objects for each.
inline constexpr std::size_t kMostBarrenPages = 1000;

inline Error EndlessListing() {
  return {ErrorCode::kBadResponse, "the service has shown " + std::to_string(kMostBarrenPages) +
                                       " pages in a row without anything new, and says that there are more"};
}

/// Of the names of one listing, or of its prefixes, over all its pages: kBadResponse where `name` is not behind
/// `before` in bytewise order.
inline Result<void> CheckIsBehind(std::string_view name, std::string_view before) {
  if (before < name) return {};
  const auto shown = [](std::string_view text) { return "'" + Printable(std::string(text), '?') + "'"; };
  if (before == name) return Error{ErrorCode::kBadResponse, "the service lists " + shown(name) + " twice"};
  return Error{ErrorCode::kBadResponse,
               "the service's names are not in bytewise order: " + shown(name) + " comes after " + shown(before)};
}

}  // namespace gcsflux::internal
