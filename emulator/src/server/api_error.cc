#include "server/api_error.h"

namespace gcsflux::emulator {

ApiError ToApiError(const Failure& failure) {
  switch (failure.kind) {
    case FailureKind::kInvalid: return {400, "invalid", failure.message};
    case FailureKind::kNotFound: return {404, "notFound", failure.message};
    case FailureKind::kConflict: return {409, "conflict", failure.message};
    case FailureKind::kPreconditionFailed: return {412, "conditionNotMet", failure.message};
    case FailureKind::kNotModified: return {304, "notModified", failure.message};
    case FailureKind::kImmutable: return {403, "retentionPolicyNotMet", failure.message};
  }
  return {500, "internalError", failure.message};
}

}  // namespace gcsflux::emulator
