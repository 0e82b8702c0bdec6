#include "retry_tests/retry_methods.h"

#include <algorithm>
#include <array>

namespace gcsflux::emulator {
namespace {

constexpr auto kMethods = std::to_array<std::string_view>({
    "storage.bucket_acl.delete",
    "storage.bucket_acl.get",
    "storage.bucket_acl.insert",
    "storage.bucket_acl.list",
    "storage.bucket_acl.patch",
    "storage.bucket_acl.update",
    "storage.buckets.delete",
    "storage.buckets.get",
    "storage.buckets.getIamPolicy",
    "storage.buckets.insert",
    "storage.buckets.list",
    "storage.buckets.lockRetentionPolicy",
    "storage.buckets.patch",
    "storage.buckets.setIamPolicy",
    "storage.buckets.testIamPermissions",
    "storage.buckets.update",
    "storage.default_object_acl.delete",
    "storage.default_object_acl.get",
    "storage.default_object_acl.insert",
    "storage.default_object_acl.list",
    "storage.default_object_acl.patch",
    "storage.default_object_acl.update",
    "storage.hmacKey.create",
    "storage.hmacKey.delete",
    "storage.hmacKey.get",
    "storage.hmacKey.list",
    "storage.hmacKey.update",
    "storage.notifications.delete",
    "storage.notifications.get",
    "storage.notifications.insert",
    "storage.notifications.list",
    "storage.object_acl.delete",
    "storage.object_acl.get",
    "storage.object_acl.insert",
    "storage.object_acl.list",
    "storage.object_acl.patch",
    "storage.object_acl.update",
    "storage.objects.compose",
    "storage.objects.copy",
    "storage.objects.delete",
    "storage.objects.get",
    "storage.objects.insert",
    "storage.objects.list",
    "storage.objects.patch",
    "storage.objects.restore",
    "storage.objects.rewrite",
    "storage.objects.update",
    "storage.serviceaccount.get",
});
static_assert(std::is_sorted(kMethods.begin(), kMethods.end()));

}  // namespace

bool IsRetryMethod(std::string_view method) { return std::binary_search(kMethods.begin(), kMethods.end(), method); }

std::string_view RetryMethodOf(const RequestSubject& subject) {
  if (subject.operation == "storage.multipartUploads.create") return "storage.objects.insert";
  if (subject.operation == "storage.multipartUploads.abort") return "storage.objects.delete";
  return subject.operation;
}

}  // namespace gcsflux::emulator
