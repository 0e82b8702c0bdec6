#pragma once

#include <cstddef>
#include <cstdint>

namespace gcsflux::internal {

/// Into how many ranges an object is cut: of at most `stripe_bytes` each, or of more where it would be over 10,000 of
/// them; 0 never cuts.
std::size_t StripeCount(std::uint64_t object_bytes, std::uint64_t stripe_bytes);

struct Stripe {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// The ranges cover the object one behind the other, and differ by a byte at most.
Stripe StripeAt(std::uint64_t object_bytes, std::size_t count, std::size_t index);

}  // namespace gcsflux::internal
