#include "http/api_error.h"

namespace gcsflux::emulator {

ApiError ToApiError(const Failure& failure) {
  switch (failure.kind) {
    case FailureKind::kInvalid: return {400, "invalid", failure.message};
    case FailureKind::kNotFound: return {404, "notFound", failure.message};
    case FailureKind::kTooLarge: return {413, "uploadTooLarge", failure.message};
    case FailureKind::kConflict: return {409, "conflict", failure.message};
    case FailureKind::kPreconditionFailed: return {412, "conditionNotMet", failure.message};
    case FailureKind::kNotModified: return {304, "notModified", failure.message};
    case FailureKind::kImmutable: return {403, "retentionPolicyNotMet", failure.message};
    // https://cloud.google.com/storage/docs/json_api/v1/status-codes
    case FailureKind::kHeld: return {403, "objectUnderActiveHold", failure.message};
    case FailureKind::kReplaceDenied: return {403, "forbidden", failure.message};
    case FailureKind::kKeyMissing: return {400, "resourceIsEncryptedWithCustomerEncryptionKey", failure.message};
    case FailureKind::kKeyIncorrect: return {400, "customerEncryptionKeyIsIncorrect", failure.message};
    case FailureKind::kKeyNotUsed: return {400, "resourceNotEncryptedWithCustomerEncryptionKey", failure.message};
    case FailureKind::kUnavailable: return {503, "backendError", failure.message};
  }
  return {500, "internalError", failure.message};
}

}  // namespace gcsflux::emulator
