#pragma once

#include <cstdint>

#include "gcsflux/events.h"

// The price of a client's operations. Storage, retrieval and network are charged separately.
namespace gcsflux {

/// Prices in US dollars for 1,000 operations. The defaults are those of Standard storage in a single region with a flat
/// namespace, from https://cloud.google.com/storage/pricing#operations-pricing (2026). Change them for another storage
/// class or location: dual-regions and multi-regions cost 0.01 and 0.0004, Nearline in a single region 0.01 and 0.001.
struct OperationPrices {
  double class_a_per_1000 = 0.005;
  double class_b_per_1000 = 0.0004;
};

/// Operations that are charged.
struct OperationCounts {
  std::uint64_t class_a = 0;
  std::uint64_t class_b = 0;
};

/// The operations between two snapshots of one client's counters.
OperationCounts ChargedOperations(const Counters& before, const Counters& after);

/// In US dollars.
double PriceOf(const OperationCounts& operations, const OperationPrices& prices = {});

}  // namespace gcsflux
