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

bool MayHaveTakenEffect(const Result<HttpResponse>& outcome) {
  if (outcome) return outcome->status < 300 || outcome->status == 408 || outcome->status >= 500;
  switch (outcome.error().code) {
    case ErrorCode::kUnreachable:
    case ErrorCode::kProxyFailed:
    case ErrorCode::kTlsFailed: return false;
    default: return true;
  }
}

}  // namespace gcsflux::internal
