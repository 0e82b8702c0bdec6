#pragma once

#include <string_view>

#include "base/failure.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/buckets#naming
Outcome<void> CheckBucketName(std::string_view name);

/// https://cloud.google.com/storage/docs/objects#naming
Outcome<void> CheckObjectName(std::string_view name);

/// Whether `text` is well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

}  // namespace gcsflux::emulator
