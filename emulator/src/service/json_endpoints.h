#pragma once

#include <string>
#include <utility>

#include "json_api/access/acl_endpoints.h"
#include "json_api/access/iam_endpoints.h"
#include "json_api/access/project_endpoints.h"
#include "json_api/bucket_endpoints.h"
#include "json_api/copy_endpoints.h"
#include "json_api/folders/folder_endpoints.h"
#include "json_api/long_running/operation_endpoints.h"
#include "json_api/long_running/restore_endpoints.h"
#include "json_api/notifications/notification_endpoints.h"
#include "json_api/object_endpoints.h"
#include "store/buckets/store.h"
#include "store/uploads/resumable_sessions.h"
#include "uploads/resumable_endpoints.h"
#include "uploads/upload_endpoints.h"

namespace gcsflux::emulator {

/// Every handler of the JSON API is a method of one of these. Thread-safe.
struct JsonEndpoints {
  /// Store, sessions and keys must outlive it.
  JsonEndpoints(Store& store, ResumableSessions& sessions, HmacKeys& keys, std::string default_project)
      : iam(store),
        notifications(store),
        bucket_acls(store, AclKind::kBucket),
        default_object_acls(store, AclKind::kDefaultObject),
        object_acls(store, AclKind::kObject),
        projects(keys),
        buckets(store, std::move(default_project)),
        objects(store),
        copies(store),
        folders(store),
        restores(store),
        operations(store),
        resumable(sessions),
        uploads(store, resumable) {}
  JsonEndpoints(const JsonEndpoints&) = delete;
  JsonEndpoints& operator=(const JsonEndpoints&) = delete;

  IamEndpoints iam;
  NotificationEndpoints notifications;
  AclEndpoints bucket_acls;
  AclEndpoints default_object_acls;
  AclEndpoints object_acls;
  ProjectEndpoints projects;
  BucketEndpoints buckets;
  ObjectEndpoints objects;
  CopyEndpoints copies;
  FolderEndpoints folders;
  RestoreEndpoints restores;
  OperationEndpoints operations;
  ResumableEndpoints resumable;
  UploadEndpoints uploads;
};

}  // namespace gcsflux::emulator
