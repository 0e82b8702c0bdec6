#include "base/process/keep_openssl.h"

#include <openssl/crypto.h>

#include "base/process/fork.h"

namespace gcsflux::internal {

void KeepOpenSsl() {
  const NoFork no_fork;
  static_cast<void>(OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr));
}

}  // namespace gcsflux::internal
