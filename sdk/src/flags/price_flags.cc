// OperationPricesFromFlags. Programs that do not call it do not have its flags.
#include <gflags/gflags.h>

#include <string>

#include "flags/flag_values.h"
#include "gcsflux/flags.h"

DEFINE_double(class_a_price_per_1000, gcsflux::OperationPrices().class_a_per_1000,
              "US dollars for 1,000 operations of class A: lists, uploads, composes. Change it for a bucket in "
              "several regions (0.01), another storage class, or your own price.");
DEFINE_double(class_b_price_per_1000, gcsflux::OperationPrices().class_b_per_1000,
              "US dollars for 1,000 operations of class B: reads of objects and metadata. Change it for "
              "another storage class, or your own price.");

namespace gcsflux {
namespace {

Result<double> Price(const std::string& flag, double value) {
  if (auto checked = internal::CheckFlag(flag, value); !checked) return checked.error();
  return value;
}

}  // namespace

Result<OperationPrices> OperationPricesFromFlags() {
  const auto class_a = Price("class_a_price_per_1000", FLAGS_class_a_price_per_1000);
  if (!class_a) return class_a.error();
  const auto class_b = Price("class_b_price_per_1000", FLAGS_class_b_price_per_1000);
  if (!class_b) return class_b.error();
  return OperationPrices{.class_a_per_1000 = *class_a, .class_b_per_1000 = *class_b};
}

}  // namespace gcsflux
