#pragma once

#include <string_view>

#include "gcsflux/events.h"
#include "gcsflux/options.h"

namespace gcsflux::internal {

/// What an operation transfers. It determines the policy and the gate.
enum class OperationKind {
  kList,
  kDownload,  ///< An object's bytes.
  kUpload,    ///< The same; also requests of a session.
  kReadMetadata,
  kWriteMetadata,  ///< Every other operation that makes, changes or deletes something.
};

constexpr bool IsWrite(OperationKind kind) {
  return kind == OperationKind::kUpload || kind == OperationKind::kWriteMetadata;
}

/// https://cloud.google.com/storage/docs/request-rate counts lists among reads. But a list costs the service more, and
/// is throttled separately.
constexpr GateClass GateClassOf(OperationKind kind) {
  switch (kind) {
    case OperationKind::kList: return GateClass::kList;
    case OperationKind::kDownload:
    case OperationKind::kReadMetadata: return GateClass::kRead;
    case OperationKind::kUpload:
    case OperationKind::kWriteMetadata: break;
  }
  return GateClass::kWrite;
}

constexpr const RetryOptions& PolicyOf(const RetryPolicies& policies, OperationKind kind) {
  switch (kind) {
    case OperationKind::kList: return policies.list;
    case OperationKind::kDownload: return policies.download;
    case OperationKind::kUpload: return policies.upload;
    case OperationKind::kReadMetadata:
    case OperationKind::kWriteMetadata: break;
  }
  return policies.metadata;
}

/// As in the flags: --NAME_retry_deadline_s.
constexpr std::string_view PolicyNameOf(OperationKind kind) {
  switch (kind) {
    case OperationKind::kList: return "list";
    case OperationKind::kDownload: return "download";
    case OperationKind::kUpload: return "upload";
    case OperationKind::kReadMetadata:
    case OperationKind::kWriteMetadata: break;
  }
  return "metadata";
}

}  // namespace gcsflux::internal
