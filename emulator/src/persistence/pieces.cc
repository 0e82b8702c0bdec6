#include "persistence/pieces.h"

#include <cstddef>
#include <cstdint>
#include <variant>

#include "store/log/record.h"

namespace gcsflux::emulator {

namespace {

constexpr std::size_t kPlaceNumber = 8;  // bytes

}  // namespace

// Three numbers for each piece, of eight bytes each: a composite may have many, and a start reads all of them.
std::string WritePieces(const Rope& bytes) {
  std::string text;
  bytes.ForEachPiece([&text](const RopePiece& piece) {
    const auto& run = std::get<FileRun>(piece.run);
    const ExtentPlace& place = run.extent->place();
    const std::uint64_t offset = place.offset + static_cast<std::uint64_t>(run.first - place.data);
    text += KeyNumber(place.file) + KeyNumber(offset) + KeyNumber(piece.size);
  });
  return text;
}

void ReadPieces(std::string_view text, std::vector<FileRange>& ranges) {
  if (text.size() % (3 * kPlaceNumber) != 0) throw BadRecord();
  for (std::size_t at = 0; at < text.size(); at += 3 * kPlaceNumber) {
    ranges.push_back({static_cast<std::uint32_t>(NumberInKey(text, at)), NumberInKey(text, at + kPlaceNumber),
                      NumberInKey(text, at + 2 * kPlaceNumber)});
  }
}

}  // namespace gcsflux::emulator
