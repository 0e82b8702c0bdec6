#pragma once

#include "operations/needed_permissions.h"
#include "operations/request_subject.h"

namespace gcsflux::emulator {

/// What a request of the XML API asks for.
enum class XmlOperation {
  kListBuckets,
  kCreateBucket,
  kHeadBucket,
  kDeleteBucket,
  kGetBucketLocation,
  kGetBucketVersioning,
  kSetBucketVersioning,
  kListObjects,
  kDeleteObjects,  ///< Many in one request.
  kListUploads,
  kGetObject,  ///< HEAD too.
  kPutObject,  ///< A copy too, where the request names its source.
  kDeleteObject,
  kInitiateUpload,
  kPutPart,
  kListParts,
  kCompleteUpload,
  kAbortUpload,
};

/// What somebody must be allowed to do to have it done:
/// https://cloud.google.com/storage/docs/access-control/iam-xml
NeededPermissions PermissionsFor(XmlOperation operation);

/// The operation and its phase, for the journal and the counters: called as in the JSON API, or, where that has none of
/// the kind, as IAM calls it.
RequestSubject SubjectOf(XmlOperation operation);

}  // namespace gcsflux::emulator
