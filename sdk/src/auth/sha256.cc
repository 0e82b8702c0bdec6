#include "auth/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "base/fork.h"
#include "base/hex.h"

namespace gcsflux::internal {

std::string Sha256Hex(std::string_view bytes) {
  const NoFork no_fork;
  std::array<unsigned char, 32> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) return {};
  return HexEncode({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace gcsflux::internal
