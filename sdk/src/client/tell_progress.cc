#include "client/tell_progress.h"

#include <exception>
#include <string>

namespace gcsflux::internal {

Result<void> TellProgress(const ProgressCallback& on_progress, const Progress& progress) try {
  if (on_progress) on_progress(progress);
  return {};
} catch (const std::exception& thrown) {
  return Error{ErrorCode::kLocalIo, std::string("the caller's progress callback threw: ") + thrown.what()};
} catch (...) {
  return Error{ErrorCode::kLocalIo, "the caller's progress callback threw something"};
}

}  // namespace gcsflux::internal
