#pragma once

#include "base/call_user_code.h"
#include "gcsflux/operation_options.h"

namespace gcsflux::internal {

/// Calls the callback, if there is one. An exception becomes kLocalIo.
inline Result<void> TellProgress(const ProgressCallback& on_progress, const Progress& progress) {
  if (!on_progress) return {};
  return CallUserCode("progress callback", [&]() -> Result<void> {
    on_progress(progress);
    return {};
  });
}

}  // namespace gcsflux::internal
