#include "transfer/composition/bucket_check.h"

#include <algorithm>
#include <vector>

#include "client/client_core.h"
#include "client/operation_calls.h"
#include "wire/bucket_requests.h"

namespace gcsflux::internal {
namespace {

const std::vector<std::string>& NeededPermissions() {
  static const auto& needed = *new std::vector<std::string>{"storage.objects.create", "storage.objects.delete"};
  return needed;
}

std::string Listed(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::optional<Error> DenialOf(const std::string& bucket, const std::vector<std::string>& granted) {
  std::vector<std::string> missing;
  for (const std::string& permission : NeededPermissions()) {
    if (std::ranges::find(granted, permission) == granted.end()) missing.push_back(permission);
  }
  if (missing.empty()) return std::nullopt;
  return Error{ErrorCode::kPermissionDenied,
               "composed downloads from gs://" + bucket + ": the caller lacks " + Listed(missing) +
                   "; grant it roles/storage.objectUser on the bucket, or turn composition off "
                   "(CompositionMode::kOff, --composition=off)"};
}

// A caller without a credential gets 401 where others get 403.
bool IsRefusal(const Error& error) {
  return error.code == ErrorCode::kPermissionDenied || error.code == ErrorCode::kUnauthenticated;
}

// Entities of the project itself. Others may read composites that may not read the objects.
bool IsOfProject(const std::string& entity) {
  return entity.starts_with("project-owners-") || entity.starts_with("project-editors-") ||
         entity.starts_with("project-viewers-");
}

template <class Parse>
auto Ask(const ClientCore& core, const Call& call, const HttpRequest& request, const Parse& parse) {
  return ParseAnswer(call, core.Exchange(call, request), parse);
}

// The objection of the service's answers. If the caller may not read one of them, the error says so.
Result<std::string> AskForObjection(const Client& client, const std::string& bucket,
                                    const BucketCheckOptions& options) {
  const ClientCore& core = CoreOf(client);
  const BucketOptions get{.fields =
                              "storageClass,softDeletePolicy,versioning,retentionPolicy,"
                              "defaultEventBasedHold,encryption,autoclass,iamConfiguration",
                          .call = options.call,
                          .stop = options.stop};
  const Call get_bucket = MakeCall(core, Operation::kGetBucket, {bucket}, get);
  const auto answer = core.Exchange(get_bucket, GetBucketRequest(core.endpoint(), bucket, get));
  auto settings = ParseAnswer(get_bucket, answer, [&](std::string_view body) { return ParseBucket(body, bucket); });
  if (!settings) return settings.error();
  auto rules = ParseAnswer(get_bucket, answer, ParseNewObjectRules);
  if (!rules) return rules.error();
  if (options.names_key) settings->default_kms_key_name.clear();
  if (rules->has_object_acls) {
    auto acl = Ask(core, get_bucket, GetDefaultAclRequest(core.endpoint(), bucket, get), ParseDefaultAcl);
    if (!acl) return acl.error();
    rules->default_acl = *std::move(acl);
  }
  const Call list = MakeCall(core, Operation::kListNotifications, {bucket}, get);
  const auto notifies = Ask(core, list, ListNotificationsRequest(core.endpoint(), bucket, get), ParseHasNotifications);
  // A service without notifications sends none.
  const bool has_none = !notifies && (notifies.error().http_status == 404 || notifies.error().http_status == 501);
  if (!notifies && !has_none) return notifies.error();
  rules->has_notifications = notifies && *notifies;
  return ObjectionTo(*settings, *rules);
}

}  // namespace

std::string ObjectionTo(const BucketMetadata& bucket, const NewObjectRules& rules) {
  std::vector<std::string> reasons;
  if (bucket.soft_delete_retention.count() > 0) {
    const auto days = std::chrono::duration_cast<std::chrono::days>(bucket.soft_delete_retention).count();
    reasons.push_back("soft delete keeps deleted composites, and charges for them, for " + std::to_string(days) +
                      " days");
  }
  if (bucket.has_versioning) reasons.emplace_back("object versioning keeps deleted composites, and charges for them");
  if (bucket.retention_period.count() > 0) {
    reasons.push_back("the retention policy does not let composites be deleted for " +
                      std::to_string(bucket.retention_period.count()) + " s");
  }
  if (bucket.default_event_based_hold) {
    reasons.emplace_back("the default event-based hold does not let composites be deleted");
  }
  if (!bucket.storage_class.empty() && bucket.storage_class != "STANDARD") {
    reasons.push_back("composites would be of class " + bucket.storage_class +
                      ", which charges for retrieval and early deletion");
  }
  if (!bucket.default_kms_key_name.empty()) {
    reasons.push_back("composites would be under the bucket's default Cloud KMS key, which charges for each use: " +
                      bucket.default_kms_key_name + " (DownloaderOptions::composition_kms_key_name allows a key)");
  }
  if (rules.has_autoclass) reasons.emplace_back("Autoclass charges for the management of each new object");
  for (const std::string& entity : rules.default_acl) {
    if (IsOfProject(entity)) continue;
    reasons.push_back("the default object ACL lets " + entity + " read composites");
    break;
  }
  if (rules.has_notifications) reasons.emplace_back("notifications are sent for each composite");
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

Result<BucketCheck> CheckBucket(const Client& client, const std::string& bucket, const BucketCheckOptions& options) {
  const auto granted =
      client.TestBucketPermissions(bucket, NeededPermissions(), {.call = options.call, .stop = options.stop});
  if (!granted) return granted.error();
  BucketCheck check{.denial = DenialOf(bucket, *granted)};
  if (check.denial) return check;
  auto objection = AskForObjection(client, bucket, options);
  if (!objection && !IsRefusal(objection.error())) return objection.error();
  check.objection = objection ? *std::move(objection)
                              : "its settings cannot be read, so the cost and the protection of composites there are "
                                "unknown; grant storage.buckets.get, and without uniform bucket-level access "
                                "storage.buckets.getIamPolicy: " +
                                    objection.error().message;
  return check;
}

}  // namespace gcsflux::internal
