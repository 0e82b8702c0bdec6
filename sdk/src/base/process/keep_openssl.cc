#include "base/process/keep_openssl.h"

#include <openssl/crypto.h>

#include "base/process/leaf_section.h"

namespace gcsflux::internal {

void KeepOpenSsl() {
  const LeafSection leaf;
  static_cast<void>(OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr));
}

}  // namespace gcsflux::internal
