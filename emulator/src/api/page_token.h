#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/listing/listing.h"

namespace gcsflux::emulator {

/// Opaque to clients, and safe in a URL as it is.
std::string EncodePageToken(const ListPosition& position);
/// Nothing if it is not one of ours.
std::optional<ListPosition> DecodePageToken(std::string_view token);

}  // namespace gcsflux::emulator
