#pragma once

#include <functional>
#include <memory>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Calls a function once, on a thread of its own, when the process gets SIGTERM. A second SIGTERM has its previous
/// effect. A process has one watch at a time.
class SigtermWatch {
 public:
  /// kInvalidArgument: there is one already. kLocalIo: no pipe or thread.
  static Result<std::unique_ptr<SigtermWatch>> Start(std::function<void()> on_sigterm);
  /// Gives the signal back, and waits for the function.
  virtual ~SigtermWatch() = default;
};

}  // namespace gcsflux::internal
