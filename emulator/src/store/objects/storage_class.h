#pragma once

#include <string_view>

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/storage-classes, also those that are no longer advertised.
bool IsStorageClass(std::string_view name);

}  // namespace gcsflux::emulator
