#include "store/objects/customer_key.h"

namespace gcsflux::emulator {

Outcome<void> CheckCustomerKey(const Object& object, std::string_view shown) {
  return CheckCustomerKey(CustomerKeySha256(object), shown);
}

Outcome<void> CheckCustomerKey(std::string_view needed, std::string_view shown) {
  if (needed == shown) return {};
  if (shown.empty()) {
    return Fail(FailureKind::kKeyMissing, "The target object is encrypted by a customer-supplied encryption key.");
  }
  if (needed.empty()) {
    return Fail(FailureKind::kKeyNotUsed, "The target object is not encrypted by a customer-supplied encryption key.");
  }
  return Fail(FailureKind::kKeyIncorrect, "The provided encryption key is incorrect.");
}

}  // namespace gcsflux::emulator
