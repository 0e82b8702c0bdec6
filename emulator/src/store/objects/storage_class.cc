#include "store/objects/storage_class.h"

#include <algorithm>
#include <array>

namespace gcsflux::emulator {

bool IsStorageClass(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "STANDARD", "NEARLINE", "COLDLINE", "ARCHIVE", "MULTI_REGIONAL", "REGIONAL", "DURABLE_REDUCED_AVAILABILITY"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace gcsflux::emulator
