#include "gcsflux/events.h"

namespace gcsflux {

OperationCounts ChargedOperations(const Counters& before, const Counters& after) {
  return {.class_a = after.class_a_operations - before.class_a_operations,
          .class_b = after.class_b_operations - before.class_b_operations};
}

double PriceOf(const OperationCounts& operations, const OperationPrices& prices) {
  return (static_cast<double>(operations.class_a) * prices.class_a_per_1000 +
          static_cast<double>(operations.class_b) * prices.class_b_per_1000) /
         1000;
}

}  // namespace gcsflux
