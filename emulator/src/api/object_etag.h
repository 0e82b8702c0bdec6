#pragma once

#include <string>

#include "store/objects/object.h"

namespace gcsflux::emulator {

/// The same in every answer about one state of one generation.
std::string ObjectEtag(const Object& object);

}  // namespace gcsflux::emulator
