#pragma once

#include <string_view>

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/storage-classes, those that are no longer advertised too.
bool IsStorageClass(std::string_view name);

}  // namespace gcsflux::emulator
