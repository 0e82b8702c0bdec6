#include "store/md5.h"

#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

namespace gcsflux::emulator {

Md5Digest ComputeMd5(const Rope& bytes) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  bool ok = context != nullptr && EVP_DigestInit_ex(context.get(), EVP_md5(), nullptr) == 1;
  ok = ok && bytes.ForEachSpan(0, bytes.size(), [&](std::span<const std::byte> span) {
    return EVP_DigestUpdate(context.get(), span.data(), span.size()) == 1;
  });
  Md5Digest digest{};
  ok = ok && EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1;
  if (!ok) throw std::runtime_error("OpenSSL does not offer MD5 here");
  return digest;
}

}  // namespace gcsflux::emulator
