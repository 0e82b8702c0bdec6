// OperationPricesFromFlags. Programs that do not call it do not have its flags.
#include <gflags/gflags.h>

#include "flags/flag_values.h"
#include "gcsflux/flags.h"

DEFINE_double(class_a_price_per_1000, gcsflux::OperationPrices().class_a_per_1000,
              "US dollars for 1,000 operations of class A: lists, uploads, composes. Change it for a bucket in "
              "several regions (0.01), another storage class, or your own price.");
DEFINE_double(class_b_price_per_1000, gcsflux::OperationPrices().class_b_per_1000,
              "US dollars for 1,000 operations of class B: reads of objects and metadata. Change it for "
              "another storage class, or your own price.");

namespace gcsflux {

Result<OperationPrices> OperationPricesFromFlags() {
  OperationPrices prices;
  auto read = internal::ReadFlags(
      {{"class_a_price_per_1000", &prices.class_a_per_1000}, {"class_b_price_per_1000", &prices.class_b_per_1000}});
  if (!read) return read.error();
  return prices;
}

}  // namespace gcsflux
