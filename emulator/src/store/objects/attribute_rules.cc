#include "store/objects/attribute_rules.h"

#include <cstddef>
#include <string>

#include "store/objects/storage_class.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMaxMetadata = 8192;  // keys and values together

}  // namespace

Outcome<void> CheckAttributes(const ObjectAttributes& attributes) {
  if (!attributes.storage_class.empty() && !IsStorageClass(attributes.storage_class)) {
    return Fail(FailureKind::kInvalid, "Invalid storage class: " + attributes.storage_class + ".");
  }
  std::size_t size = 0;
  for (const auto& [key, value] : attributes.metadata) size += key.size() + value.size();
  if (size <= kMaxMetadata) return {};
  return Fail(FailureKind::kInvalid, "The object's custom metadata is " + std::to_string(size) +
                                         " bytes, which is more than the 8192 that are allowed.");
}

Outcome<void> CheckAttributesChange(const ObjectAttributes& before, const ObjectAttributes& after) {
  // https://cloud.google.com/storage/docs/metadata#custom-time. All texts have one form, so they compare like times.
  if (after.custom_time < before.custom_time) {
    return Fail(FailureKind::kInvalid, "Custom time cannot be removed, nor set to an earlier time than it is.");
  }
  return CheckAttributes(after);
}

}  // namespace gcsflux::emulator
