#pragma once

#include <functional>
#include <memory>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Calls a function once, on a thread of its own, when the process gets SIGTERM. A second SIGTERM has its previous
/// effect. A process has one watch at a time.
class SigtermWatch {
 public:
  /// Returns kInvalidArgument if there is one already, and kLocalIo if the system gives no pipe or thread.
  static Result<std::unique_ptr<SigtermWatch>> Start(std::function<void()> on_sigterm);
  /// Restores the earlier handler, and waits for the function.
  virtual ~SigtermWatch() = default;
};

}  // namespace gcsflux::internal
