#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text/printable.h"
#include "gcsflux/result.h"

// Checks of a listing's pages, so that a faulty service is not believed, and a listing ends.
namespace gcsflux::internal {

/// The most pages in a row without new names, each with a token for a next page. A service may search many deleted
/// objects for a page.
inline constexpr std::size_t kMostBarrenPages = 1000;

inline Error EndlessListing() {
  return {ErrorCode::kBadResponse, "the service has shown " + std::to_string(kMostBarrenPages) +
                                       " pages in a row without anything new, and says that there are more"};
}

/// How a message shows a name of the service.
inline std::string ShownName(std::string_view name) { return "'" + Printable(std::string(name), '?') + "'"; }

/// Returns kBadResponse if a name, or a prefix, does not begin with the prefix that was listed.
inline Result<void> CheckIsUnder(std::string_view name, std::string_view prefix) {
  if (name.starts_with(prefix)) return {};
  return Error{ErrorCode::kBadResponse,
               "the service lists " + ShownName(name) + ", which is not under " + ShownName(prefix)};
}

/// Returns kBadResponse if a name is not in [start_offset, end_offset). An empty end_offset is no bound.
inline Result<void> CheckIsIn(std::string_view name, std::string_view start_offset, std::string_view end_offset) {
  if (name >= start_offset && (end_offset.empty() || name < end_offset)) return {};
  return Error{ErrorCode::kBadResponse, "the service lists " + ShownName(name) + ", which is outside of the offsets"};
}

/// Checks the names, or prefixes, of one listing over all its pages: returns kBadResponse if `name` is not behind
/// `before` in bytewise order.
inline Result<void> CheckIsBehind(std::string_view name, std::string_view before) {
  if (before < name) return {};
  if (before == name) return Error{ErrorCode::kBadResponse, "the service lists " + ShownName(name) + " twice"};
  return Error{ErrorCode::kBadResponse, "the service's names are not in bytewise order: " + ShownName(name) +
                                            " comes after " + ShownName(before)};
}

}  // namespace gcsflux::internal
