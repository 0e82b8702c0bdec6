#pragma once

#include <string_view>

#include "base/failure.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// Success where `shown`, in base64, is the hash of the key that the object is under; empty stands for no key, on
/// either side. Else kKeyMissing, kKeyIncorrect or kKeyNotUsed.
Outcome<void> CheckCustomerKey(const Object& object, std::string_view shown);

/// The same for what is not an object yet, and will be under the key of which `needed` is the hash.
Outcome<void> CheckCustomerKey(std::string_view needed, std::string_view shown);

}  // namespace gcsflux::emulator
