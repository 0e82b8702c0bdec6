#include "campaign/content.h"

#include <algorithm>
#include <cstring>

namespace gcsflux::campaign {
namespace {

// splitmix64: a number for each place, unlike its neighbours.
std::uint64_t Mix(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31);
}

void AppendBytes(std::string& bytes, const Content::Piece& piece) {
  const std::uint64_t start = Mix(piece.seed);
  for (std::size_t at = 0; at < piece.size; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = Mix(start + at);
    bytes.append(reinterpret_cast<const char*>(&word), std::min(sizeof word, piece.size - at));
  }
}

}  // namespace

std::size_t Content::size() const {
  std::size_t size = 0;
  for (const Piece& piece : pieces) size += piece.size;
  return size;
}

std::string Content::Render() const {
  std::string bytes;
  bytes.reserve(size());
  for (const Piece& piece : pieces) AppendBytes(bytes, piece);
  return bytes;
}

void Content::Append(const Content& more) { pieces.insert(pieces.end(), more.pieces.begin(), more.pieces.end()); }

std::string DescribeDifference(std::string_view found, std::string_view wanted) {
  const auto [one, other] = std::mismatch(found.begin(), found.end(), wanted.begin(), wanted.end());
  return "found " + std::to_string(found.size()) + " bytes, wanted " + std::to_string(wanted.size()) +
         ", different from byte " + std::to_string(one - found.begin()) + " on";
}

}  // namespace gcsflux::campaign
