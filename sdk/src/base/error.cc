#include "gcsflux/result.h"

namespace gcsflux {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "INVALID_ARGUMENT";
    case ErrorCode::kUnauthenticated: return "UNAUTHENTICATED";
    case ErrorCode::kTokenUnavailable: return "TOKEN_UNAVAILABLE";
    case ErrorCode::kPermissionDenied: return "PERMISSION_DENIED";
    case ErrorCode::kNotFound: return "NOT_FOUND";
    case ErrorCode::kAlreadyExists: return "ALREADY_EXISTS";
    case ErrorCode::kBucketNotEmpty: return "BUCKET_NOT_EMPTY";
    case ErrorCode::kPreconditionFailed: return "PRECONDITION_FAILED";
    case ErrorCode::kNotModified: return "NOT_MODIFIED";
    case ErrorCode::kOutOfRange: return "OUT_OF_RANGE";
    case ErrorCode::kRateLimited: return "RATE_LIMITED";
    case ErrorCode::kUnavailable: return "UNAVAILABLE";
    case ErrorCode::kUnreachable: return "UNREACHABLE";
    case ErrorCode::kProxyFailed: return "PROXY_FAILED";
    case ErrorCode::kTlsFailed: return "TLS_FAILED";
    case ErrorCode::kTruncated: return "TRUNCATED";
    case ErrorCode::kCancelled: return "CANCELLED";
    case ErrorCode::kCorrupted: return "CORRUPTED";
    case ErrorCode::kUnverified: return "UNVERIFIED";
    case ErrorCode::kAborted: return "ABORTED";
    case ErrorCode::kSessionLost: return "SESSION_LOST";
    case ErrorCode::kOutcomeUnknown: return "OUTCOME_UNKNOWN";
    case ErrorCode::kBadResponse: return "BAD_RESPONSE";
    case ErrorCode::kEmptyPrefix: return "EMPTY_PREFIX";
    case ErrorCode::kUndecodable: return "UNDECODABLE";
    case ErrorCode::kStale: return "STALE";
    case ErrorCode::kLocalIo: return "LOCAL_IO";
    case ErrorCode::kForked: return "FORKED";
  }
  return "UNKNOWN";
}

}  // namespace gcsflux
