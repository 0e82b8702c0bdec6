#pragma once

#include <functional>
#include <memory>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Calls a function on a thread of its own when the process gets SIGTERM, once. A second SIGTERM does what it did
/// before. One at a time in a process.
class SigtermWatch {
 public:
  /// kInvalidArgument: there is one already. kLocalIo: no pipe or thread.
  static Result<std::unique_ptr<SigtermWatch>> Start(std::function<void()> on_sigterm);
  /// Gives the signal back, and waits for the function.
  virtual ~SigtermWatch() = default;
};

}  // namespace gcsflux::internal
