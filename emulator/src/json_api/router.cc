#include "json_api/router.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace gcsflux::emulator {
namespace {

struct Entry {
  std::string_view method;
  std::string_view pattern;
  Operation operation;
};

constexpr std::array kRoutes = {
    Entry{"GET", "storage/v1/b", Operation::kListBuckets},
    Entry{"POST", "storage/v1/b", Operation::kInsertBucket},
    Entry{"GET", "storage/v1/b/{bucket}", Operation::kGetBucket},
    Entry{"PATCH", "storage/v1/b/{bucket}", Operation::kPatchBucket},
    Entry{"PUT", "storage/v1/b/{bucket}", Operation::kUpdateBucket},
    Entry{"DELETE", "storage/v1/b/{bucket}", Operation::kDeleteBucket},
    Entry{"GET", "storage/v1/b/{bucket}/iam/testPermissions", Operation::kTestBucketPermissions},
    Entry{"GET", "storage/v1/b/{bucket}/o", Operation::kListObjects},
    Entry{"GET", "storage/v1/b/{bucket}/o/{object}", Operation::kGetObject},
    Entry{"GET", "download/storage/v1/b/{bucket}/o/{object}", Operation::kDownloadObject},
    Entry{"PATCH", "storage/v1/b/{bucket}/o/{object}", Operation::kPatchObject},
    Entry{"PUT", "storage/v1/b/{bucket}/o/{object}", Operation::kUpdateObject},
    Entry{"DELETE", "storage/v1/b/{bucket}/o/{object}", Operation::kDeleteObject},
    Entry{"POST", "storage/v1/b/{bucket}/o/{object}/compose", Operation::kComposeObject},
    Entry{"POST", "storage/v1/b/{source_bucket}/o/{source_object}/copyTo/b/{bucket}/o/{object}",
          Operation::kCopyObject},
    Entry{"POST", "storage/v1/b/{source_bucket}/o/{source_object}/rewriteTo/b/{bucket}/o/{object}",
          Operation::kRewriteObject},
    Entry{"POST", "storage/v1/b/{bucket}/o/{source_object}/moveTo/o/{object}", Operation::kMoveObject},
    Entry{"POST", "upload/storage/v1/b/{bucket}/o", Operation::kInsertObject},
    Entry{"PUT", "upload/storage/v1/b/{bucket}/o", Operation::kUploadChunk},
    Entry{"DELETE", "upload/storage/v1/b/{bucket}/o", Operation::kCancelUpload},
    Entry{"GET", "storage/v1/b/{bucket}/storageLayout", Operation::kGetStorageLayout},
    Entry{"GET", "storage/v1/b/{bucket}/managedFolders", Operation::kListManagedFolders},
    Entry{"GET", "storage/v1/b/{bucket}/folders", Operation::kListFolders},
    // gcloud and gsutil
    Entry{"POST", "resumable/upload/storage/v1/b/{bucket}/o", Operation::kInsertObject},
    Entry{"PUT", "resumable/upload/storage/v1/b/{bucket}/o", Operation::kUploadChunk},
    Entry{"DELETE", "resumable/upload/storage/v1/b/{bucket}/o", Operation::kCancelUpload},
};

struct UnservedEntry {
  std::string_view method;
  std::string_view pattern;
  std::string_view name;
};

constexpr std::array kUnserved = {
    UnservedEntry{"GET", "storage/v1/b/{bucket}/iam", "storage.buckets.getIamPolicy"},
    UnservedEntry{"PUT", "storage/v1/b/{bucket}/iam", "storage.buckets.setIamPolicy"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/lockRetentionPolicy", "storage.buckets.lockRetentionPolicy"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/acl", "storage.bucket_acl.list"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/acl", "storage.bucket_acl.insert"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/acl/{entity}", "storage.bucket_acl.get"},
    UnservedEntry{"PUT", "storage/v1/b/{bucket}/acl/{entity}", "storage.bucket_acl.update"},
    UnservedEntry{"PATCH", "storage/v1/b/{bucket}/acl/{entity}", "storage.bucket_acl.patch"},
    UnservedEntry{"DELETE", "storage/v1/b/{bucket}/acl/{entity}", "storage.bucket_acl.delete"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/defaultObjectAcl", "storage.default_object_acl.list"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/defaultObjectAcl", "storage.default_object_acl.insert"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/defaultObjectAcl/{entity}", "storage.default_object_acl.get"},
    UnservedEntry{"PUT", "storage/v1/b/{bucket}/defaultObjectAcl/{entity}", "storage.default_object_acl.update"},
    UnservedEntry{"PATCH", "storage/v1/b/{bucket}/defaultObjectAcl/{entity}", "storage.default_object_acl.patch"},
    UnservedEntry{"DELETE", "storage/v1/b/{bucket}/defaultObjectAcl/{entity}", "storage.default_object_acl.delete"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/o/{object}/acl", "storage.object_acl.list"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/o/{object}/acl", "storage.object_acl.insert"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/o/{object}/acl/{entity}", "storage.object_acl.get"},
    UnservedEntry{"PUT", "storage/v1/b/{bucket}/o/{object}/acl/{entity}", "storage.object_acl.update"},
    UnservedEntry{"PATCH", "storage/v1/b/{bucket}/o/{object}/acl/{entity}", "storage.object_acl.patch"},
    UnservedEntry{"DELETE", "storage/v1/b/{bucket}/o/{object}/acl/{entity}", "storage.object_acl.delete"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/o/{object}/restore", "storage.objects.restore"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/o/bulkRestore", "storage.objects.bulkRestore"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/o/watch", "storage.objects.watchAll"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/o/{object}/iam", "storage.objects.getIamPolicy"},
    UnservedEntry{"PUT", "storage/v1/b/{bucket}/o/{object}/iam", "storage.objects.setIamPolicy"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/restore", "storage.buckets.restore"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/relocate", "storage.buckets.relocate"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/folders", "storage.folders.insert"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/folders/{folder}", "storage.folders.get"},
    UnservedEntry{"DELETE", "storage/v1/b/{bucket}/folders/{folder}", "storage.folders.delete"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/folders/{folder}/deleteRecursive", "storage.folders.deleteRecursive"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/folders/{folder}/renameTo/folders/{to}", "storage.folders.rename"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/managedFolders", "storage.managedFolders.insert"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/managedFolders/{folder}", "storage.managedFolders.get"},
    UnservedEntry{"DELETE", "storage/v1/b/{bucket}/managedFolders/{folder}", "storage.managedFolders.delete"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/managedFolders/{folder}/iam", "storage.managedFolders.getIamPolicy"},
    UnservedEntry{"PUT", "storage/v1/b/{bucket}/managedFolders/{folder}/iam", "storage.managedFolders.setIamPolicy"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/anywhereCaches", "storage.anywhereCaches.list"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/anywhereCaches", "storage.anywhereCaches.insert"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/operations", "storage.operations.list"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/operations/{id}", "storage.operations.get"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/notificationConfigs", "storage.notifications.list"},
    UnservedEntry{"POST", "storage/v1/b/{bucket}/notificationConfigs", "storage.notifications.insert"},
    UnservedEntry{"GET", "storage/v1/b/{bucket}/notificationConfigs/{id}", "storage.notifications.get"},
    UnservedEntry{"DELETE", "storage/v1/b/{bucket}/notificationConfigs/{id}", "storage.notifications.delete"},
    UnservedEntry{"GET", "storage/v1/projects/{project}/hmacKeys", "storage.hmacKey.list"},
    UnservedEntry{"POST", "storage/v1/projects/{project}/hmacKeys", "storage.hmacKey.create"},
    UnservedEntry{"GET", "storage/v1/projects/{project}/hmacKeys/{id}", "storage.hmacKey.get"},
    UnservedEntry{"PUT", "storage/v1/projects/{project}/hmacKeys/{id}", "storage.hmacKey.update"},
    UnservedEntry{"DELETE", "storage/v1/projects/{project}/hmacKeys/{id}", "storage.hmacKey.delete"},
    UnservedEntry{"GET", "storage/v1/projects/{project}/serviceAccount", "storage.serviceaccount.get"},
};

// The pattern's next part, off its front.
std::string_view TakePart(std::string_view& pattern) {
  const std::string_view part = pattern.substr(0, pattern.find('/'));
  pattern.remove_prefix(std::min(part.size() + 1, pattern.size()));
  return part;
}

// Asked of most patterns for each request, so it copies nothing.
bool Fits(std::string_view pattern, const std::vector<std::string>& segments) {
  for (const std::string& segment : segments) {
    if (pattern.empty()) return false;
    const std::string_view expected = TakePart(pattern);
    if (!expected.starts_with('{') && expected != segment) return false;
  }
  return pattern.empty();
}

// What the pattern's places hold in this path; nothing where it is another path.
std::optional<Route> Match(std::string_view pattern, const std::vector<std::string>& segments) {
  if (!Fits(pattern, segments)) return std::nullopt;
  Route route;
  for (const std::string& segment : segments) {
    const std::string_view expected = TakePart(pattern);
    if (expected == "{bucket}") {
      route.bucket = segment;
    } else if (expected == "{object}") {
      route.object = segment;
    } else if (expected == "{source_bucket}") {
      route.source_bucket = segment;
    } else if (expected == "{source_object}") {
      route.source_object = segment;
    }
  }
  return route;
}

}  // namespace

ApiResult<Route> FindRoute(std::string_view method, const std::vector<std::string>& segments) {
  bool is_path_known = false;
  for (const Entry& entry : kRoutes) {
    std::optional<Route> route = Match(entry.pattern, segments);
    if (!route) continue;
    is_path_known = true;
    route->operation = entry.operation;
    if (entry.method == method || (entry.method == "GET" && method == "HEAD")) return *std::move(route);
  }
  if (is_path_known) return tl::unexpected(ApiError{405, "methodNotAllowed", "Method Not Allowed"});
  return tl::unexpected(ApiError{404, "notFound", "Not Found"});
}

ApiResult<Route> FindRoute(std::string_view method, const Target& target) {
  ApiResult<Route> route = FindRoute(method, target.segments);
  if (!route) return route;
  const bool is_upload = route->operation == Operation::kInsertObject || route->operation == Operation::kUploadChunk;
  if (!is_upload) return route;
  const bool begins = method != "PUT" || target.query.Value("uploadType") != "resumable";
  const bool names_session = target.query.Find("upload_id") != nullptr;
  route->operation = begins && !names_session ? Operation::kInsertObject : Operation::kUploadChunk;
  return route;
}

std::optional<UnservedMethod> FindUnservedMethod(std::string_view method, const std::vector<std::string>& segments) {
  for (const UnservedEntry& entry : kUnserved) {
    if (entry.method != method) continue;
    std::optional<Route> route = Match(entry.pattern, segments);
    if (route) return UnservedMethod{entry.name, std::move(route->bucket), std::move(route->object)};
  }
  return std::nullopt;
}

}  // namespace gcsflux::emulator
