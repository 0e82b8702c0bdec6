#pragma once

namespace gcsflux::internal {

/// Makes OpenSSL last until the process has ended, so that clients work in destructors of static objects too. Without
/// it, OpenSSL frees its state by atexit(), and connections that are made later fail. Call it before anything that may
/// initialise OpenSSL, which libcurl does too. If the program has initialised OpenSSL before, it has no effect.
/// Thread-safe.
void KeepOpenSsl();

}  // namespace gcsflux::internal
