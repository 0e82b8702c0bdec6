#include "api/object_etag.h"

#include <cstdint>

#include "base/base64.h"

namespace gcsflux::emulator {
namespace {

void AppendVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

}  // namespace

std::string ObjectEtag(const Object& object) {
  // The form of GCS's own tags: a protocol buffer of generation and metageneration.
  std::string message = "\x08";
  AppendVarint(message, static_cast<std::uint64_t>(object.generation));
  message += '\x10';
  AppendVarint(message, static_cast<std::uint64_t>(object.metageneration));
  return EncodeBase64(message);
}

}  // namespace gcsflux::emulator
