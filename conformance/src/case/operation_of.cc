#include "case/operation_of.h"

#include <algorithm>
#include <array>
#include <set>

#include "case/placeholders.h"

namespace gcsflux::conformance {
namespace {

struct JsonMethod {
  std::string_view method;
  std::string_view path;  ///< Below /storage/v1; a '*' stands for one segment.
  std::string_view name;
};

// https://storage.googleapis.com/$discovery/rest?version=v1, revision 20261009.
constexpr std::array kJsonMethods = {
    JsonMethod{"POST", "/b/*/anywhereCaches/*/disable", "anywhereCaches.disable"},
    JsonMethod{"GET", "/b/*/anywhereCaches/*", "anywhereCaches.get"},
    JsonMethod{"POST", "/b/*/anywhereCaches", "anywhereCaches.insert"},
    JsonMethod{"GET", "/b/*/anywhereCaches", "anywhereCaches.list"},
    JsonMethod{"POST", "/b/*/anywhereCaches/*/pause", "anywhereCaches.pause"},
    JsonMethod{"POST", "/b/*/anywhereCaches/*/resume", "anywhereCaches.resume"},
    JsonMethod{"PATCH", "/b/*/anywhereCaches/*", "anywhereCaches.update"},
    JsonMethod{"DELETE", "/b/*/acl/*", "bucketAccessControls.delete"},
    JsonMethod{"GET", "/b/*/acl/*", "bucketAccessControls.get"},
    JsonMethod{"POST", "/b/*/acl", "bucketAccessControls.insert"},
    JsonMethod{"GET", "/b/*/acl", "bucketAccessControls.list"},
    JsonMethod{"PATCH", "/b/*/acl/*", "bucketAccessControls.patch"},
    JsonMethod{"PUT", "/b/*/acl/*", "bucketAccessControls.update"},
    JsonMethod{"DELETE", "/b/*", "buckets.delete"},
    JsonMethod{"GET", "/b/*", "buckets.get"},
    JsonMethod{"GET", "/b/*/iam", "buckets.getIamPolicy"},
    JsonMethod{"GET", "/b/*/storageLayout", "buckets.getStorageLayout"},
    JsonMethod{"POST", "/b", "buckets.insert"},
    JsonMethod{"GET", "/b", "buckets.list"},
    JsonMethod{"POST", "/b/*/lockRetentionPolicy", "buckets.lockRetentionPolicy"},
    JsonMethod{"POST", "/b/*/operations/*/advanceRelocateBucket", "buckets.operations.advanceRelocateBucket"},
    JsonMethod{"POST", "/b/*/operations/*/cancel", "buckets.operations.cancel"},
    JsonMethod{"GET", "/b/*/operations/*", "buckets.operations.get"},
    JsonMethod{"GET", "/b/*/operations", "buckets.operations.list"},
    JsonMethod{"PATCH", "/b/*", "buckets.patch"},
    JsonMethod{"POST", "/b/*/relocate", "buckets.relocate"},
    JsonMethod{"POST", "/b/*/restore", "buckets.restore"},
    JsonMethod{"PUT", "/b/*/iam", "buckets.setIamPolicy"},
    JsonMethod{"GET", "/b/*/iam/testPermissions", "buckets.testIamPermissions"},
    JsonMethod{"PUT", "/b/*", "buckets.update"},
    JsonMethod{"DELETE", "/b/*/defaultObjectAcl/*", "defaultObjectAccessControls.delete"},
    JsonMethod{"GET", "/b/*/defaultObjectAcl/*", "defaultObjectAccessControls.get"},
    JsonMethod{"POST", "/b/*/defaultObjectAcl", "defaultObjectAccessControls.insert"},
    JsonMethod{"GET", "/b/*/defaultObjectAcl", "defaultObjectAccessControls.list"},
    JsonMethod{"PATCH", "/b/*/defaultObjectAcl/*", "defaultObjectAccessControls.patch"},
    JsonMethod{"PUT", "/b/*/defaultObjectAcl/*", "defaultObjectAccessControls.update"},
    JsonMethod{"DELETE", "/b/*/folders/*", "folders.delete"},
    JsonMethod{"POST", "/b/*/folders/*/deleteRecursive", "folders.deleteRecursive"},
    JsonMethod{"GET", "/b/*/folders/*", "folders.get"},
    JsonMethod{"POST", "/b/*/folders", "folders.insert"},
    JsonMethod{"GET", "/b/*/folders", "folders.list"},
    JsonMethod{"POST", "/b/*/folders/*/renameTo/folders/*", "folders.rename"},
    JsonMethod{"DELETE", "/b/*/managedFolders/*", "managedFolders.delete"},
    JsonMethod{"GET", "/b/*/managedFolders/*", "managedFolders.get"},
    JsonMethod{"GET", "/b/*/managedFolders/*/iam", "managedFolders.getIamPolicy"},
    JsonMethod{"POST", "/b/*/managedFolders", "managedFolders.insert"},
    JsonMethod{"GET", "/b/*/managedFolders", "managedFolders.list"},
    JsonMethod{"PUT", "/b/*/managedFolders/*/iam", "managedFolders.setIamPolicy"},
    JsonMethod{"GET", "/b/*/managedFolders/*/iam/testPermissions", "managedFolders.testIamPermissions"},
    JsonMethod{"PATCH", "/b/*/managedFolders/*", "managedFolders.update"},
    JsonMethod{"DELETE", "/b/*/notificationConfigs/*", "notifications.delete"},
    JsonMethod{"GET", "/b/*/notificationConfigs/*", "notifications.get"},
    JsonMethod{"POST", "/b/*/notificationConfigs", "notifications.insert"},
    JsonMethod{"GET", "/b/*/notificationConfigs", "notifications.list"},
    JsonMethod{"DELETE", "/b/*/o/*/acl/*", "objectAccessControls.delete"},
    JsonMethod{"GET", "/b/*/o/*/acl/*", "objectAccessControls.get"},
    JsonMethod{"POST", "/b/*/o/*/acl", "objectAccessControls.insert"},
    JsonMethod{"GET", "/b/*/o/*/acl", "objectAccessControls.list"},
    JsonMethod{"PATCH", "/b/*/o/*/acl/*", "objectAccessControls.patch"},
    JsonMethod{"PUT", "/b/*/o/*/acl/*", "objectAccessControls.update"},
    JsonMethod{"POST", "/b/*/o/bulkRestore", "objects.bulkRestore"},
    JsonMethod{"POST", "/b/*/o/*/compose", "objects.compose"},
    JsonMethod{"POST", "/b/*/o/*/copyTo/b/*/o/*", "objects.copy"},
    JsonMethod{"DELETE", "/b/*/o/*", "objects.delete"},
    JsonMethod{"GET", "/b/*/o/*", "objects.get"},
    JsonMethod{"GET", "/b/*/o/*/iam", "objects.getIamPolicy"},
    JsonMethod{"POST", "/b/*/o", "objects.insert"},
    JsonMethod{"GET", "/b/*/o", "objects.list"},
    JsonMethod{"POST", "/b/*/o/*/moveTo/o/*", "objects.move"},
    JsonMethod{"PATCH", "/b/*/o/*", "objects.patch"},
    JsonMethod{"POST", "/b/*/o/*/restore", "objects.restore"},
    JsonMethod{"POST", "/b/*/o/*/rewriteTo/b/*/o/*", "objects.rewrite"},
    JsonMethod{"PUT", "/b/*/o/*/iam", "objects.setIamPolicy"},
    JsonMethod{"GET", "/b/*/o/*/iam/testPermissions", "objects.testIamPermissions"},
    JsonMethod{"PUT", "/b/*/o/*", "objects.update"},
    JsonMethod{"GET", "/b/*/o/*/viewFullContext", "objects.viewFullContext"},
    JsonMethod{"POST", "/projects/*/hmacKeys", "projects.hmacKeys.create"},
    JsonMethod{"DELETE", "/projects/*/hmacKeys/*", "projects.hmacKeys.delete"},
    JsonMethod{"GET", "/projects/*/hmacKeys/*", "projects.hmacKeys.get"},
    JsonMethod{"GET", "/projects/*/hmacKeys", "projects.hmacKeys.list"},
    JsonMethod{"PUT", "/projects/*/hmacKeys/*", "projects.hmacKeys.update"},
    JsonMethod{"GET", "/projects/*/serviceAccount", "projects.serviceAccount.get"},
    JsonMethod{"POST", "/b/*/rapidCaches/*/disable", "rapidCaches.disable"},
    JsonMethod{"GET", "/b/*/rapidCaches/*", "rapidCaches.get"},
    JsonMethod{"POST", "/b/*/rapidCaches", "rapidCaches.insert"},
    JsonMethod{"GET", "/b/*/rapidCaches", "rapidCaches.list"},
    JsonMethod{"PATCH", "/b/*/rapidCaches/*", "rapidCaches.update"},
    // What the document does not have as a method of its own.
    JsonMethod{"PUT", "/b/*/o", "objects.insert"},
    JsonMethod{"DELETE", "/b/*/o", "objects.insert"},
};

std::string_view NextSegment(std::string_view& path) {
  const std::size_t end = std::min(path.find('/', 1), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(end);
  return segment;
}

bool Matches(std::string_view pattern, std::string_view path) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = NextSegment(pattern);
    const std::string_view got = NextSegment(path);
    if (wanted != "/*" && wanted != got) return false;
  }
  return pattern.empty() && path.empty();
}

/// What remains after the first of `prefixes` that `path` begins with; empty if it begins with none.
std::string_view Below(std::string_view path, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (path.starts_with(prefix) && path.substr(prefix.size()).starts_with('/')) return path.substr(prefix.size());
  }
  return {};
}

std::string JsonOperation(std::string_view method, std::string_view path) {
  const auto* const found = std::find_if(kJsonMethods.begin(), kJsonMethods.end(), [&](const JsonMethod& each) {
    return each.method == method && Matches(each.path, path);
  });
  return found == kJsonMethods.end() ? "other" : "storage." + std::string(found->name);
}

bool HasParameter(std::string_view query, std::string_view name) {
  for (std::size_t at = query.find(name); at != query.npos; at = query.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || query[at - 1] == '&';
    if (begins && (end == query.size() || query[end] == '=' || query[end] == '&')) return true;
  }
  return false;
}

std::string MultipartOperation(std::string_view method, std::string_view query) {
  if (HasParameter(query, "uploads")) return method == "POST" ? "xml.multipart.initiate" : "xml.multipart.list";
  if (method == "PUT") return "xml.multipart.upload_part";
  if (method == "POST") return "xml.multipart.complete";
  return method == "DELETE" ? "xml.multipart.abort" : "xml.multipart.list_parts";
}

std::string XmlOperation(std::string_view method, std::string_view path, std::string_view query) {
  std::string verb(method);
  std::transform(verb.begin(), verb.end(), verb.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  if (path == "/") return "xml.service." + verb;
  if (HasParameter(query, "uploads") || HasParameter(query, "uploadId")) return MultipartOperation(method, query);
  const std::size_t slash = path.find('/', 1);
  const bool is_bucket = slash == path.npos || slash + 1 == path.size();
  if (is_bucket && method == "POST" && HasParameter(query, "delete")) return "xml.objects.delete_many";
  return (is_bucket ? "xml.buckets." : "xml.objects.") + verb;
}

}  // namespace

std::string OperationOf(std::string_view method, std::string_view target) {
  if (target.starts_with('{')) {
    return method == "GET" || method == "HEAD" ? "storage.objects.get" : "storage.objects.insert";
  }
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, mark);
  const std::string_view query = target.substr(std::min(mark + 1, target.size()));
  if (path.starts_with("/batch/")) return "batch";
  if (path.starts_with("/_emulator") || path.starts_with("/retry_test")) return "other";
  const std::string_view json =
      Below(path, {"/storage/v1", "/upload/storage/v1", "/resumable/upload/storage/v1", "/download/storage/v1"});
  if (!json.empty()) return JsonOperation(method, json);
  return XmlOperation(method, path, query);
}

std::vector<std::string> OperationsOf(const Case& subject) {
  std::set<std::string> operations;
  for (const Step& step : subject.steps) {
    if (step.for_each.empty()) operations.insert(OperationOf(step.method, step.target));
    for (const std::string& each : step.for_each) {
      operations.insert(OperationOf(step.method, Substitute(step.target, {{"each", each}})));
    }
  }
  return {operations.begin(), operations.end()};
}

char BillingClassOf(std::string_view operation) {
  const std::string_view verb = operation.substr(operation.rfind('.') + 1);
  const auto is_one_of = [verb](std::initializer_list<std::string_view> verbs) {
    return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
  };
  if (is_one_of({"delete", "abort", "options", "cancel", "deleteRecursive", "delete_many", "other"})) return '0';
  if (operation == "xml.buckets.get" || operation == "xml.service.get") return 'A';
  if (verb.starts_with("get") || is_one_of({"head", "testIamPermissions", "list_parts"})) return 'B';
  if (operation == "xml.multipart.list" || operation == "storage.notifications.list") return 'B';
  return operation.ends_with("AccessControls.list") ? 'B' : 'A';
}

double PricePerThousand(char billing_class) {
  switch (billing_class) {
    case 'A': return 0.005;
    case 'B': return 0.0004;
    default: return 0;
  }
}

}  // namespace gcsflux::conformance
