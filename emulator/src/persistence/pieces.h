#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "persistence/body_files.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

/// Where the bytes of a rope are, all of which are in files.
[[nodiscard]] std::string WritePieces(const Rope& bytes);

/// The ranges that WritePieces() has written, in their order, at the end of `ranges`. Throws BadRecord.
void ReadPieces(std::string_view text, std::vector<FileRange>& ranges);

}  // namespace gcsflux::emulator
