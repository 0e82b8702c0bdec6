#pragma once

#include <string_view>

#include "base/failure.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// Succeeds if `shown`, in base64, is the hash of the key that the object is under. Empty stands for no key, on either
/// side. Else kKeyMissing, kKeyIncorrect or kKeyNotUsed.
Outcome<void> CheckCustomerKey(const Object& object, std::string_view shown);

/// The same before the object exists; `needed` is the hash of the key that it will be under.
Outcome<void> CheckCustomerKey(std::string_view needed, std::string_view shown);

}  // namespace gcsflux::emulator
