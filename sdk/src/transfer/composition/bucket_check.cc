#include "transfer/composition/bucket_check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "client/client_core.h"
#include "client/operation_calls.h"
#include "loop/run_at_once.h"
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

struct BucketSettings {
  BucketMetadata bucket = {};
  NewObjectRules rules = {};  // Without notifications.
};

Result<BucketSettings> AskForSettings(const ClientCore& core, const std::string& bucket, const BucketOptions& options) {
  BucketOptions get = options;
  get.fields =
      "storageClass,softDeletePolicy,versioning,retentionPolicy,defaultEventBasedHold,encryption,autoclass,"
      "iamConfiguration";
  const Call call = MakeCall(core, Operation::kGetBucket, {bucket}, get);
  const auto answer = core.Exchange(call, GetBucketRequest(core.endpoint(), bucket, get));
  auto settings = ParseAnswer(call, answer, [&](std::string_view body) { return ParseBucket(body, bucket); });
  if (!settings) return settings.error();
  auto rules = ParseAnswer(call, answer, ParseNewObjectRules);
  if (!rules) return rules.error();
  if (rules->has_object_acls) {
    auto acl = Ask(core, call, GetDefaultAclRequest(core.endpoint(), bucket, get), ParseDefaultAcl);
    if (!acl) return acl.error();
    rules->default_acl = *std::move(acl);
  }
  return BucketSettings{*std::move(settings), *std::move(rules)};
}

Result<bool> AskForNotifications(const ClientCore& core, const std::string& bucket, const BucketOptions& options) {
  const Call call = MakeCall(core, Operation::kListNotifications, {bucket}, options);
  const auto has_some =
      Ask(core, call, ListNotificationsRequest(core.endpoint(), bucket, options), ParseHasNotifications);
  // A service without notifications sends none.
  const bool is_unserved = !has_some && (has_some.error().http_status == 404 || has_some.error().http_status == 501);
  return is_unserved ? Result<bool>(false) : has_some;
}

// The service's answers. Each is an error until it has come.
struct BucketAnswers {
  Result<std::vector<std::string>> granted = Error{};
  Result<BucketSettings> settings = Error{};
  Result<bool> has_notifications = Error{};
};

// All requests at once: downloads from the bucket read each object by itself until the answers have come.
BucketAnswers AskAtOnce(const Client& client, const std::string& bucket, const BucketCheckOptions& options) {
  const ClientCore& core = CoreOf(client);
  const BucketOptions call{.call = options.call, .stop = options.stop};
  BucketAnswers answers;
  RunAtOnce(core.loops(), {[&] { answers.granted = client.TestBucketPermissions(bucket, NeededPermissions(), call); },
                           [&] { answers.settings = AskForSettings(core, bucket, call); },
                           [&] { answers.has_notifications = AskForNotifications(core, bucket, call); }});
  return answers;
}

// If the caller may not read one of the settings, the error says so.
Result<std::string> ObjectionOf(BucketAnswers answers, bool names_key) {
  if (!answers.settings) return answers.settings.error();
  if (!answers.has_notifications) return answers.has_notifications.error();
  if (names_key) answers.settings->bucket.default_kms_key_name.clear();
  answers.settings->rules.has_notifications = *answers.has_notifications;
  return ObjectionTo(answers.settings->bucket, answers.settings->rules);
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
  BucketAnswers answers = AskAtOnce(client, bucket, options);
  if (!answers.granted) return answers.granted.error();
  BucketCheck check{.denial = DenialOf(bucket, *answers.granted)};
  if (check.denial) return check;
  const auto objection = ObjectionOf(std::move(answers), options.names_key);
  if (!objection && !IsRefusal(objection.error())) return objection.error();
  check.objection = objection ? *objection
                              : "its settings cannot be read, so the cost and the protection of composites there are "
                                "unknown; grant storage.buckets.get, and without uniform bucket-level access "
                                "storage.buckets.getIamPolicy: " +
                                    objection.error().message;
  return check;
}

}  // namespace gcsflux::internal
