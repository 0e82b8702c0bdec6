#pragma once

#include <string>

#include "gcsflux/emulator/shaping.h"

namespace gcsflux::emulator {

/// Throws std::invalid_argument, which names the field.
void CheckShaping(const Shaping& shaping);

/// In the form that ParseShaping() reads.
std::string RenderShaping(const Shaping& shaping);

}  // namespace gcsflux::emulator
