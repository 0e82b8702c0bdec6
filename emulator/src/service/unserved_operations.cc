// The table of operations: those of the JSON API that the emulator does not serve. It answers them with 501.

#include <array>

#include "operations/operation.h"

namespace gcsflux::emulator {
namespace {

constexpr Operation NotServed(std::string_view name, std::string_view request, TrafficClass traffic_class) {
  return {.name = name,
          .request = request,
          .traffic_class = traffic_class,
          .mutates_object = name == "storage.objects.restore",
          .needs = {}};
}

// A retry test may have instructions for it: the request meets them before it is refused.
constexpr Operation ForRetryTests(std::string_view name, std::string_view request, TrafficClass traffic_class) {
  Operation operation = NotServed(name, request, traffic_class);
  operation.is_retry_method = true;
  return operation;
}

constexpr auto kUnservedOperations = std::to_array<Operation>({
    ForRetryTests("storage.buckets.getIamPolicy", "GET /storage/v1/b/{bucket}/iam", TrafficClass::kRead),
    ForRetryTests("storage.buckets.setIamPolicy", "PUT /storage/v1/b/{bucket}/iam", TrafficClass::kWrite),
    ForRetryTests("storage.buckets.lockRetentionPolicy", "POST /storage/v1/b/{bucket}/lockRetentionPolicy",
                  TrafficClass::kWrite),
    ForRetryTests("storage.bucket_acl.list", "GET /storage/v1/b/{bucket}/acl", TrafficClass::kList),
    ForRetryTests("storage.bucket_acl.insert", "POST /storage/v1/b/{bucket}/acl", TrafficClass::kWrite),
    ForRetryTests("storage.bucket_acl.get", "GET /storage/v1/b/{bucket}/acl/{entity}", TrafficClass::kRead),
    ForRetryTests("storage.bucket_acl.update", "PUT /storage/v1/b/{bucket}/acl/{entity}", TrafficClass::kWrite),
    ForRetryTests("storage.bucket_acl.patch", "PATCH /storage/v1/b/{bucket}/acl/{entity}", TrafficClass::kWrite),
    ForRetryTests("storage.bucket_acl.delete", "DELETE /storage/v1/b/{bucket}/acl/{entity}", TrafficClass::kDelete),
    ForRetryTests("storage.default_object_acl.list", "GET /storage/v1/b/{bucket}/defaultObjectAcl",
                  TrafficClass::kList),
    ForRetryTests("storage.default_object_acl.insert", "POST /storage/v1/b/{bucket}/defaultObjectAcl",
                  TrafficClass::kWrite),
    ForRetryTests("storage.default_object_acl.get", "GET /storage/v1/b/{bucket}/defaultObjectAcl/{entity}",
                  TrafficClass::kRead),
    ForRetryTests("storage.default_object_acl.update", "PUT /storage/v1/b/{bucket}/defaultObjectAcl/{entity}",
                  TrafficClass::kWrite),
    ForRetryTests("storage.default_object_acl.patch", "PATCH /storage/v1/b/{bucket}/defaultObjectAcl/{entity}",
                  TrafficClass::kWrite),
    ForRetryTests("storage.default_object_acl.delete", "DELETE /storage/v1/b/{bucket}/defaultObjectAcl/{entity}",
                  TrafficClass::kDelete),
    ForRetryTests("storage.object_acl.list", "GET /storage/v1/b/{bucket}/o/{object}/acl", TrafficClass::kList),
    ForRetryTests("storage.object_acl.insert", "POST /storage/v1/b/{bucket}/o/{object}/acl", TrafficClass::kWrite),
    ForRetryTests("storage.object_acl.get", "GET /storage/v1/b/{bucket}/o/{object}/acl/{entity}", TrafficClass::kRead),
    ForRetryTests("storage.object_acl.update", "PUT /storage/v1/b/{bucket}/o/{object}/acl/{entity}",
                  TrafficClass::kWrite),
    ForRetryTests("storage.object_acl.patch", "PATCH /storage/v1/b/{bucket}/o/{object}/acl/{entity}",
                  TrafficClass::kWrite),
    ForRetryTests("storage.object_acl.delete", "DELETE /storage/v1/b/{bucket}/o/{object}/acl/{entity}",
                  TrafficClass::kDelete),
    ForRetryTests("storage.objects.restore", "POST /storage/v1/b/{bucket}/o/{object}/restore", TrafficClass::kWrite),
    NotServed("storage.objects.bulkRestore", "POST /storage/v1/b/{bucket}/o/bulkRestore", TrafficClass::kWrite),
    NotServed("storage.objects.watchAll", "POST /storage/v1/b/{bucket}/o/watch", TrafficClass::kWrite),
    NotServed("storage.objects.getIamPolicy", "GET /storage/v1/b/{bucket}/o/{object}/iam", TrafficClass::kRead),
    NotServed("storage.objects.setIamPolicy", "PUT /storage/v1/b/{bucket}/o/{object}/iam", TrafficClass::kWrite),
    NotServed("storage.buckets.restore", "POST /storage/v1/b/{bucket}/restore", TrafficClass::kWrite),
    NotServed("storage.buckets.relocate", "POST /storage/v1/b/{bucket}/relocate", TrafficClass::kWrite),
    NotServed("storage.folders.insert", "POST /storage/v1/b/{bucket}/folders", TrafficClass::kWrite),
    NotServed("storage.folders.get", "GET /storage/v1/b/{bucket}/folders/{folder}", TrafficClass::kRead),
    NotServed("storage.folders.delete", "DELETE /storage/v1/b/{bucket}/folders/{folder}", TrafficClass::kDelete),
    NotServed("storage.folders.deleteRecursive", "POST /storage/v1/b/{bucket}/folders/{folder}/deleteRecursive",
              TrafficClass::kWrite),
    NotServed("storage.folders.rename", "POST /storage/v1/b/{bucket}/folders/{folder}/renameTo/folders/{to}",
              TrafficClass::kWrite),
    NotServed("storage.managedFolders.insert", "POST /storage/v1/b/{bucket}/managedFolders", TrafficClass::kWrite),
    NotServed("storage.managedFolders.get", "GET /storage/v1/b/{bucket}/managedFolders/{folder}", TrafficClass::kRead),
    NotServed("storage.managedFolders.delete", "DELETE /storage/v1/b/{bucket}/managedFolders/{folder}",
              TrafficClass::kDelete),
    NotServed("storage.managedFolders.getIamPolicy", "GET /storage/v1/b/{bucket}/managedFolders/{folder}/iam",
              TrafficClass::kRead),
    NotServed("storage.managedFolders.setIamPolicy", "PUT /storage/v1/b/{bucket}/managedFolders/{folder}/iam",
              TrafficClass::kWrite),
    NotServed("storage.anywhereCaches.list", "GET /storage/v1/b/{bucket}/anywhereCaches", TrafficClass::kList),
    NotServed("storage.anywhereCaches.insert", "POST /storage/v1/b/{bucket}/anywhereCaches", TrafficClass::kWrite),
    NotServed("storage.operations.list", "GET /storage/v1/b/{bucket}/operations", TrafficClass::kList),
    NotServed("storage.operations.get", "GET /storage/v1/b/{bucket}/operations/{id}", TrafficClass::kRead),
    ForRetryTests("storage.notifications.list", "GET /storage/v1/b/{bucket}/notificationConfigs", TrafficClass::kList),
    ForRetryTests("storage.notifications.insert", "POST /storage/v1/b/{bucket}/notificationConfigs",
                  TrafficClass::kWrite),
    ForRetryTests("storage.notifications.get", "GET /storage/v1/b/{bucket}/notificationConfigs/{id}",
                  TrafficClass::kRead),
    ForRetryTests("storage.notifications.delete", "DELETE /storage/v1/b/{bucket}/notificationConfigs/{id}",
                  TrafficClass::kDelete),
    ForRetryTests("storage.hmacKey.list", "GET /storage/v1/projects/{project}/hmacKeys", TrafficClass::kList),
    ForRetryTests("storage.hmacKey.create", "POST /storage/v1/projects/{project}/hmacKeys", TrafficClass::kWrite),
    ForRetryTests("storage.hmacKey.get", "GET /storage/v1/projects/{project}/hmacKeys/{id}", TrafficClass::kRead),
    ForRetryTests("storage.hmacKey.update", "PUT /storage/v1/projects/{project}/hmacKeys/{id}", TrafficClass::kWrite),
    ForRetryTests("storage.hmacKey.delete", "DELETE /storage/v1/projects/{project}/hmacKeys/{id}",
                  TrafficClass::kDelete),
    ForRetryTests("storage.serviceaccount.get", "GET /storage/v1/projects/{project}/serviceAccount",
                  TrafficClass::kRead),
});

}  // namespace

std::span<const Operation> UnservedOperations() { return kUnservedOperations; }

}  // namespace gcsflux::emulator
