#include "base/sha256.h"

#include <openssl/sha.h>

#include "base/process/keep_openssl.h"
#include "base/process/leaf_section.h"
#include "base/text/hex.h"

namespace gcsflux::internal {

std::string Sha256(std::string_view bytes) {
  KeepOpenSsl();
  const LeafSection leaf;
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

std::string Sha256Hex(std::string_view bytes) { return HexEncode(Sha256(bytes)); }

}  // namespace gcsflux::internal
