#include "retry/transient.h"

namespace gcsflux::internal {

bool IsTransient(const Error& error) {
  if (error.code == ErrorCode::kProxyFailed) return error.http_status == 0 || error.http_status >= 500;
  return error.code == ErrorCode::kRateLimited || error.code == ErrorCode::kUnavailable ||
         error.code == ErrorCode::kUnreachable || error.code == ErrorCode::kTruncated;
}

bool IsAmbiguous(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kTruncated;
}

}  // namespace gcsflux::internal
