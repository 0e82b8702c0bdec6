#pragma once

// Rows of the table of operations of the JSON API: what is below a bucket or an object beside its own resource, and
// what a project has. json_operations.cc, which alone includes it, puts them at the table's end.

#include <array>

#include "identity/permissions.h"
#include "operations/operation.h"
#include "service/json_endpoints.h"

namespace gcsflux::emulator {

// The handler that is a method of one of the endpoints.
template <auto endpoints, auto method>
ApiResult<HttpResponse> Call(const JsonEndpoints& all, const ApiCall& call) {
  return ((all.*endpoints).*method)(call);
}

constexpr JsonOperation Other(std::string_view name, std::string_view request, TrafficClass traffic_class,
                              Answer answer, NeededPermissions needs, JsonHandler handler) {
  return {{.name = name, .request = request, .traffic_class = traffic_class, .answer = answer, .needs = needs},
          handler};
}

/// A row that retry tests may have instructions for.
constexpr JsonOperation SubResource(std::string_view name, std::string_view request, TrafficClass traffic_class,
                                    Answer answer, NeededPermissions needs, JsonHandler handler) {
  JsonOperation row = Other(name, request, traffic_class, answer, needs, handler);
  row.is_retry_method = true;
  return row;
}

// https://cloud.google.com/storage/docs/access-control/iam-json
inline constexpr NeededPermissions kToReadBucket = {.on_bucket = {Permission::kBucketsGet}};
inline constexpr NeededPermissions kToUpdateBucket = {.on_bucket = {Permission::kBucketsUpdate}};

inline constexpr NeededPermissions kToReadBucketAcl = {.on_bucket = {Permission::kBucketsGetIamPolicy}};
inline constexpr NeededPermissions kToChangeBucketAcl = {.on_bucket = {Permission::kBucketsSetIamPolicy}};
inline constexpr NeededPermissions kToReadObjectAcl = {.on_object = {Permission::kObjectsGetIamPolicy}};
inline constexpr NeededPermissions kToChangeObjectAcl = {.on_object = {Permission::kObjectsSetIamPolicy}};

/// A row for what no bucket has here.
constexpr JsonOperation OfNone(std::string_view name, std::string_view request, TrafficClass traffic_class,
                               JsonHandler handler) {
  const bool is_read = traffic_class == TrafficClass::kRead || traffic_class == TrafficClass::kList;
  return Other(name, request, traffic_class, traffic_class == TrafficClass::kList ? Answer::kFolders : Answer::kNothing,
               is_read ? kToReadBucket : kToUpdateBucket, handler);
}

inline constexpr auto kSubResourceOperations = std::to_array<JsonOperation>({
    SubResource("storage.notifications.list", "GET /storage/v1/b/{bucket}/notificationConfigs", TrafficClass::kList,
                Answer::kNotifications, kToReadBucket,
                &Call<&JsonEndpoints::notifications, &NotificationEndpoints::List>),
    SubResource("storage.notifications.insert", "POST /storage/v1/b/{bucket}/notificationConfigs", TrafficClass::kWrite,
                Answer::kNotification, kToUpdateBucket,
                &Call<&JsonEndpoints::notifications, &NotificationEndpoints::Insert>),
    SubResource("storage.notifications.get", "GET /storage/v1/b/{bucket}/notificationConfigs/{item}",
                TrafficClass::kRead, Answer::kNotification, kToReadBucket,
                &Call<&JsonEndpoints::notifications, &NotificationEndpoints::Get>),
    SubResource("storage.notifications.delete", "DELETE /storage/v1/b/{bucket}/notificationConfigs/{item}",
                TrafficClass::kDelete, Answer::kNothing, kToUpdateBucket,
                &Call<&JsonEndpoints::notifications, &NotificationEndpoints::Delete>),
    SubResource("storage.bucket_acl.list", "GET /storage/v1/b/{bucket}/acl", TrafficClass::kList,
                Answer::kAccessControls, kToReadBucketAcl, &Call<&JsonEndpoints::bucket_acls, &AclEndpoints::List>),
    SubResource("storage.bucket_acl.insert", "POST /storage/v1/b/{bucket}/acl", TrafficClass::kWrite,
                Answer::kAccessControl, kToChangeBucketAcl, &Call<&JsonEndpoints::bucket_acls, &AclEndpoints::Insert>),
    SubResource("storage.bucket_acl.get", "GET /storage/v1/b/{bucket}/acl/{item}", TrafficClass::kRead,
                Answer::kAccessControl, kToReadBucketAcl, &Call<&JsonEndpoints::bucket_acls, &AclEndpoints::Get>),
    SubResource("storage.bucket_acl.update", "PUT /storage/v1/b/{bucket}/acl/{item}", TrafficClass::kWrite,
                Answer::kAccessControl, kToChangeBucketAcl, &Call<&JsonEndpoints::bucket_acls, &AclEndpoints::Patch>),
    SubResource("storage.bucket_acl.patch", "PATCH /storage/v1/b/{bucket}/acl/{item}", TrafficClass::kWrite,
                Answer::kAccessControl, kToChangeBucketAcl, &Call<&JsonEndpoints::bucket_acls, &AclEndpoints::Patch>),
    SubResource("storage.bucket_acl.delete", "DELETE /storage/v1/b/{bucket}/acl/{item}", TrafficClass::kDelete,
                Answer::kNothing, kToChangeBucketAcl, &Call<&JsonEndpoints::bucket_acls, &AclEndpoints::Delete>),
    SubResource("storage.default_object_acl.list", "GET /storage/v1/b/{bucket}/defaultObjectAcl", TrafficClass::kList,
                Answer::kAccessControls, kToReadBucketAcl,
                &Call<&JsonEndpoints::default_object_acls, &AclEndpoints::List>),
    SubResource("storage.default_object_acl.insert", "POST /storage/v1/b/{bucket}/defaultObjectAcl",
                TrafficClass::kWrite, Answer::kAccessControl, kToChangeBucketAcl,
                &Call<&JsonEndpoints::default_object_acls, &AclEndpoints::Insert>),
    SubResource("storage.default_object_acl.get", "GET /storage/v1/b/{bucket}/defaultObjectAcl/{item}",
                TrafficClass::kRead, Answer::kAccessControl, kToReadBucketAcl,
                &Call<&JsonEndpoints::default_object_acls, &AclEndpoints::Get>),
    SubResource("storage.default_object_acl.update", "PUT /storage/v1/b/{bucket}/defaultObjectAcl/{item}",
                TrafficClass::kWrite, Answer::kAccessControl, kToChangeBucketAcl,
                &Call<&JsonEndpoints::default_object_acls, &AclEndpoints::Patch>),
    SubResource("storage.default_object_acl.patch", "PATCH /storage/v1/b/{bucket}/defaultObjectAcl/{item}",
                TrafficClass::kWrite, Answer::kAccessControl, kToChangeBucketAcl,
                &Call<&JsonEndpoints::default_object_acls, &AclEndpoints::Patch>),
    SubResource("storage.default_object_acl.delete", "DELETE /storage/v1/b/{bucket}/defaultObjectAcl/{item}",
                TrafficClass::kDelete, Answer::kNothing, kToChangeBucketAcl,
                &Call<&JsonEndpoints::default_object_acls, &AclEndpoints::Delete>),
    SubResource("storage.object_acl.list", "GET /storage/v1/b/{bucket}/o/{object}/acl", TrafficClass::kList,
                Answer::kAccessControls, kToReadObjectAcl, &Call<&JsonEndpoints::object_acls, &AclEndpoints::List>),
    SubResource("storage.object_acl.insert", "POST /storage/v1/b/{bucket}/o/{object}/acl", TrafficClass::kWrite,
                Answer::kAccessControl, kToChangeObjectAcl, &Call<&JsonEndpoints::object_acls, &AclEndpoints::Insert>),
    SubResource("storage.object_acl.get", "GET /storage/v1/b/{bucket}/o/{object}/acl/{item}", TrafficClass::kRead,
                Answer::kAccessControl, kToReadObjectAcl, &Call<&JsonEndpoints::object_acls, &AclEndpoints::Get>),
    SubResource("storage.object_acl.update", "PUT /storage/v1/b/{bucket}/o/{object}/acl/{item}", TrafficClass::kWrite,
                Answer::kAccessControl, kToChangeObjectAcl, &Call<&JsonEndpoints::object_acls, &AclEndpoints::Patch>),
    SubResource("storage.object_acl.patch", "PATCH /storage/v1/b/{bucket}/o/{object}/acl/{item}", TrafficClass::kWrite,
                Answer::kAccessControl, kToChangeObjectAcl, &Call<&JsonEndpoints::object_acls, &AclEndpoints::Patch>),
    SubResource("storage.object_acl.delete", "DELETE /storage/v1/b/{bucket}/o/{object}/acl/{item}",
                TrafficClass::kDelete, Answer::kNothing, kToChangeObjectAcl,
                &Call<&JsonEndpoints::object_acls, &AclEndpoints::Delete>),
    SubResource("storage.buckets.lockRetentionPolicy", "POST /storage/v1/b/{bucket}/lockRetentionPolicy",
                TrafficClass::kWrite, Answer::kBucket, kToUpdateBucket,
                &Call<&JsonEndpoints::buckets, &BucketEndpoints::LockRetentionPolicy>),
    SubResource("storage.buckets.getIamPolicy", "GET /storage/v1/b/{bucket}/iam", TrafficClass::kRead, Answer::kPolicy,
                {.on_bucket = {Permission::kBucketsGetIamPolicy}},
                &Call<&JsonEndpoints::iam, &IamEndpoints::GetBucketPolicy>),
    SubResource("storage.buckets.setIamPolicy", "PUT /storage/v1/b/{bucket}/iam", TrafficClass::kWrite, Answer::kPolicy,
                {.on_bucket = {Permission::kBucketsSetIamPolicy}},
                &Call<&JsonEndpoints::iam, &IamEndpoints::SetBucketPolicy>),
    SubResource("storage.hmacKey.list", "GET /storage/v1/projects/{project}/hmacKeys", TrafficClass::kList,
                Answer::kHmacKeys, {.on_project = {Permission::kHmacKeysList}},
                &Call<&JsonEndpoints::projects, &ProjectEndpoints::ListHmacKeys>),
    SubResource("storage.hmacKey.create", "POST /storage/v1/projects/{project}/hmacKeys", TrafficClass::kWrite,
                Answer::kHmacKey, {.on_project = {Permission::kHmacKeysCreate}},
                &Call<&JsonEndpoints::projects, &ProjectEndpoints::CreateHmacKey>),
    SubResource("storage.hmacKey.get", "GET /storage/v1/projects/{project}/hmacKeys/{item}", TrafficClass::kRead,
                Answer::kHmacKeyMetadata, {.on_project = {Permission::kHmacKeysGet}},
                &Call<&JsonEndpoints::projects, &ProjectEndpoints::GetHmacKey>),
    SubResource("storage.hmacKey.update", "PUT /storage/v1/projects/{project}/hmacKeys/{item}", TrafficClass::kWrite,
                Answer::kHmacKeyMetadata, {.on_project = {Permission::kHmacKeysUpdate}},
                &Call<&JsonEndpoints::projects, &ProjectEndpoints::UpdateHmacKey>),
    SubResource("storage.hmacKey.delete", "DELETE /storage/v1/projects/{project}/hmacKeys/{item}",
                TrafficClass::kDelete, Answer::kNothing, {.on_project = {Permission::kHmacKeysDelete}},
                &Call<&JsonEndpoints::projects, &ProjectEndpoints::DeleteHmacKey>),
    SubResource("storage.serviceaccount.get", "GET /storage/v1/projects/{project}/serviceAccount", TrafficClass::kRead,
                Answer::kServiceAccount, {.on_project = {}},
                &Call<&JsonEndpoints::projects, &ProjectEndpoints::GetServiceAccount>),
    {{.name = "storage.objects.restore",
      .request = "POST /storage/v1/b/{bucket}/o/{object}/restore",
      .traffic_class = TrafficClass::kWrite,
      .mutates_object = true,
      .is_retry_method = true,
      .answer = Answer::kObject,
      .refuses = "restoreToken",
      .needs = {.on_bucket = {Permission::kObjectsRestore, Permission::kObjectsCreate}, .replaces_object = true}},
     &Call<&JsonEndpoints::restores, &RestoreEndpoints::RestoreObject>},
    Other("storage.objects.bulkRestore", "POST /storage/v1/b/{bucket}/o/bulkRestore", TrafficClass::kWrite,
          Answer::kOperation, {.on_bucket = {Permission::kObjectsRestore, Permission::kObjectsCreate}},
          &Call<&JsonEndpoints::restores, &RestoreEndpoints::RestoreObjects>),
    Other("storage.buckets.restore", "POST /storage/v1/b/{bucket}/restore", TrafficClass::kWrite, Answer::kBucket,
          {.on_project = {Permission::kBucketsRestore}},
          &Call<&JsonEndpoints::restores, &RestoreEndpoints::RestoreBucket>),
    Other("storage.folders.list", "GET /storage/v1/b/{bucket}/folders", TrafficClass::kList, Answer::kFolders,
          {.on_bucket = {Permission::kFoldersList}}, &Call<&JsonEndpoints::folders, &FolderEndpoints::List>),
    Other("storage.folders.insert", "POST /storage/v1/b/{bucket}/folders", TrafficClass::kWrite, Answer::kFolder,
          {.on_bucket = {Permission::kFoldersCreate}}, &Call<&JsonEndpoints::folders, &FolderEndpoints::Insert>),
    Other("storage.folders.get", "GET /storage/v1/b/{bucket}/folders/{item}", TrafficClass::kRead, Answer::kFolder,
          {.on_bucket = {Permission::kFoldersGet}}, &Call<&JsonEndpoints::folders, &FolderEndpoints::Get>),
    Other("storage.folders.delete", "DELETE /storage/v1/b/{bucket}/folders/{item}", TrafficClass::kDelete,
          Answer::kNothing, {.on_bucket = {Permission::kFoldersDelete}},
          &Call<&JsonEndpoints::folders, &FolderEndpoints::Delete>),
    Other("storage.folders.deleteRecursive", "POST /storage/v1/b/{bucket}/folders/{item}/deleteRecursive",
          TrafficClass::kDelete, Answer::kOperation,
          {.on_bucket = {Permission::kFoldersDelete, Permission::kObjectsDelete}},
          &Call<&JsonEndpoints::folders, &FolderEndpoints::DeleteRecursive>),
    Other("storage.folders.rename", "POST /storage/v1/b/{bucket}/folders/{source_object}/renameTo/folders/{object}",
          TrafficClass::kWrite, Answer::kOperation,
          {.on_bucket = {Permission::kFoldersRename, Permission::kFoldersCreate}},
          &Call<&JsonEndpoints::folders, &FolderEndpoints::Rename>),
    Other("storage.operations.list", "GET /storage/v1/b/{bucket}/operations", TrafficClass::kList, Answer::kOperations,
          kToReadBucket, &Call<&JsonEndpoints::operations, &OperationEndpoints::List>),
    Other("storage.operations.get", "GET /storage/v1/b/{bucket}/operations/{item}", TrafficClass::kRead,
          Answer::kOperation, kToReadBucket, &Call<&JsonEndpoints::operations, &OperationEndpoints::Get>),
    Other("storage.operations.cancel", "POST /storage/v1/b/{bucket}/operations/{item}/cancel", TrafficClass::kWrite,
          Answer::kNothing, kToUpdateBucket, &Call<&JsonEndpoints::operations, &OperationEndpoints::Cancel>),
    // What no bucket has here: there is nothing to read or to change.
    OfNone("storage.managedFolders.get", "GET /storage/v1/b/{bucket}/managedFolders/{item}", TrafficClass::kRead,
           &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.managedFolders.delete", "DELETE /storage/v1/b/{bucket}/managedFolders/{item}",
           TrafficClass::kDelete, &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.managedFolders.getIamPolicy", "GET /storage/v1/b/{bucket}/managedFolders/{item}/iam",
           TrafficClass::kRead, &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.managedFolders.setIamPolicy", "PUT /storage/v1/b/{bucket}/managedFolders/{item}/iam",
           TrafficClass::kWrite, &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.anywhereCaches.list", "GET /storage/v1/b/{bucket}/anywhereCaches", TrafficClass::kList,
           &Call<&JsonEndpoints::buckets, &BucketEndpoints::ListNone>),
    OfNone("storage.managedFolders.update", "PATCH /storage/v1/b/{bucket}/managedFolders/{item}", TrafficClass::kWrite,
           &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.managedFolders.testIamPermissions",
           "GET /storage/v1/b/{bucket}/managedFolders/{item}/iam/testPermissions", TrafficClass::kRead,
           &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.anywhereCaches.get", "GET /storage/v1/b/{bucket}/anywhereCaches/{item}", TrafficClass::kRead,
           &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.anywhereCaches.update", "PATCH /storage/v1/b/{bucket}/anywhereCaches/{item}", TrafficClass::kWrite,
           &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.anywhereCaches.disable", "POST /storage/v1/b/{bucket}/anywhereCaches/{item}/disable",
           TrafficClass::kWrite, &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.anywhereCaches.pause", "POST /storage/v1/b/{bucket}/anywhereCaches/{item}/pause",
           TrafficClass::kWrite, &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.anywhereCaches.resume", "POST /storage/v1/b/{bucket}/anywhereCaches/{item}/resume",
           TrafficClass::kWrite, &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.rapidCaches.list", "GET /storage/v1/b/{bucket}/rapidCaches", TrafficClass::kList,
           &Call<&JsonEndpoints::buckets, &BucketEndpoints::ListNone>),
    OfNone("storage.rapidCaches.get", "GET /storage/v1/b/{bucket}/rapidCaches/{item}", TrafficClass::kRead,
           &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.rapidCaches.update", "PATCH /storage/v1/b/{bucket}/rapidCaches/{item}", TrafficClass::kWrite,
           &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.rapidCaches.disable", "POST /storage/v1/b/{bucket}/rapidCaches/{item}/disable",
           TrafficClass::kWrite, &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    OfNone("storage.operations.advanceRelocateBucket",
           "POST /storage/v1/b/{bucket}/operations/{item}/advanceRelocateBucket", TrafficClass::kWrite,
           &Call<&JsonEndpoints::buckets, &BucketEndpoints::FindNone>),
    // Anyone may ask what they may do.
    {{.name = "storage.objects.testIamPermissions",
      .request = "GET /storage/v1/b/{bucket}/o/{object}/iam/testPermissions",
      .traffic_class = TrafficClass::kRead,
      .answer = Answer::kPermissions,
      .needs = {}},
     &Call<&JsonEndpoints::iam, &IamEndpoints::TestPermissions>},
});

}  // namespace gcsflux::emulator
