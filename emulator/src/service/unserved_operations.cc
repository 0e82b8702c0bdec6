// The table of operations: those of the JSON API that the emulator does not serve. It answers them with 501.

#include <array>

#include "operations/operation.h"

namespace gcsflux::emulator {
namespace {

constexpr Operation NotServed(std::string_view name, std::string_view request, TrafficClass traffic_class) {
  return {.name = name, .request = request, .traffic_class = traffic_class, .needs = {}};
}

constexpr auto kUnservedOperations = std::to_array<Operation>({
    NotServed("storage.objects.watchAll", "POST /storage/v1/b/{bucket}/o/watch", TrafficClass::kWrite),
    NotServed("storage.objects.getIamPolicy", "GET /storage/v1/b/{bucket}/o/{object}/iam", TrafficClass::kRead),
    NotServed("storage.objects.setIamPolicy", "PUT /storage/v1/b/{bucket}/o/{object}/iam", TrafficClass::kWrite),
    NotServed("storage.buckets.relocate", "POST /storage/v1/b/{bucket}/relocate", TrafficClass::kWrite),
    NotServed("storage.managedFolders.insert", "POST /storage/v1/b/{bucket}/managedFolders", TrafficClass::kWrite),
    NotServed("storage.anywhereCaches.insert", "POST /storage/v1/b/{bucket}/anywhereCaches", TrafficClass::kWrite),
    NotServed("storage.rapidCaches.insert", "POST /storage/v1/b/{bucket}/rapidCaches", TrafficClass::kWrite),
    NotServed("storage.objects.viewFullContext", "GET /storage/v1/b/{bucket}/o/{object}/viewFullContext",
              TrafficClass::kRead),
});

}  // namespace

std::span<const Operation> UnservedOperations() { return kUnservedOperations; }

}  // namespace gcsflux::emulator
