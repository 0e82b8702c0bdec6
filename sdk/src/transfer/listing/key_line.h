#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "transfer/listing/alphabets.h"

namespace gcsflux::internal::listing {

inline constexpr std::size_t kMaxNameBytes = 1024;  ///< The service's limit.

/// Keys between two others as numbers from 0 to 1, in their order, and back: as the digits of a number in which each
/// place has its own alphabet. What the two have in common is left out, so that a double's 53 bits go to what varies.
/// A view: the alphabets stay as they are while it is in use.
class KeyLine {
 public:
  /// Of keys from `lo` up to `hi`; an empty `hi` is no bound.
  KeyLine(const Alphabets& alphabets, std::string_view lo, std::string_view hi);

  [[nodiscard]] double At(std::string_view key) const;
  /// A short key at about `position`: as many characters as it takes to be within `grain` of it.
  [[nodiscard]] std::string KeyAt(double position, double grain) const;

 private:
  const Alphabets& alphabets_;
  std::string common_;
  Place begin_;
};

}  // namespace gcsflux::internal::listing
