#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "transfer/listing/alphabets.h"

namespace gcsflux::internal::listing {

inline constexpr std::size_t kMaxNameBytes = 1024;  ///< The service's limit.

/// Maps the keys between two others to numbers from 0 to 1 in order, and back. A key is a number whose digits have an
/// alphabet for each place. The common prefix is left out, so that a double's 53 bits hold the part that varies. A
/// view: do not change the alphabets while it is used.
class KeyLine {
 public:
  /// For keys from `lo` up to `hi`; an empty `hi` means no bound.
  KeyLine(const Alphabets& alphabets, std::string_view lo, std::string_view hi);

  [[nodiscard]] double At(std::string_view key) const;
  /// A short key at about `position`, with as many characters as a distance below `grain` needs.
  [[nodiscard]] std::string KeyAt(double position, double grain) const;

 private:
  const Alphabets& alphabets_;
  std::string common_;
  Place begin_;
};

}  // namespace gcsflux::internal::listing
