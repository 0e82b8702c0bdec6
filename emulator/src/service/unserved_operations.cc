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
    NotServed("storage.anywhereCaches.insert", "POST /storage/v1/b/{bucket}/anywhereCaches", TrafficClass::kWrite),
    NotServed("storage.rapidCaches.insert", "POST /storage/v1/b/{bucket}/rapidCaches", TrafficClass::kWrite),
    NotServed("storage.objects.viewFullContext", "GET /storage/v1/b/{bucket}/o/{object}/viewFullContext",
              TrafficClass::kRead),
});

}  // namespace

std::span<const Operation> UnservedOperations() { return kUnservedOperations; }

}  // namespace gcsflux::emulator
