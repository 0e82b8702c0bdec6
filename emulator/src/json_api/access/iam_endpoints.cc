#include "json_api/access/iam_endpoints.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "api/iam_policy.h"
#include "json_api/bucket_json.h"
#include "json_api/masked_json.h"
#include "json_api/request_json.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::int64_t kVersionWithConditions = 3;

bool IsGranted(const ApiCall& call, const std::string& name, const ObjectPlace& place) {
  if (!call.caller.is_checked()) return true;
  const std::optional<Permission> permission = FindPermission(name);
  return permission && call.caller.May(*permission, place);
}

HttpResponse PolicyResponse(const ApiCall& call, const BucketInfo& info) {
  const Json bindings = BindingsOf(info);
  OrderedJson policy = {{"kind", "storage#policy"},
                        {"resourceId", "projects/_/buckets/" + info.name},
                        {"version", HasConditions(bindings) ? kVersionWithConditions : 1},
                        {"etag", BucketEtag(info)}};
  policy["bindings"] = OrderedJson::array();
  for (const Json& binding : bindings) policy["bindings"].push_back(OrderedJson::parse(binding.dump()));
  return MaskedResponse(call, policy);
}

const Json& PolicyShape() {
  static const Json kShape = Json::parse(R"({
    "version": "integer", "etag": "string",
    "bindings": [{"role": "string", "members": ["string"],
                  "condition": {"title": "string", "description": "string", "expression": "string",
                                "location": "string"}}]
  })");
  return kShape;
}

ApiResult<Json> ReadPolicy(const ApiCall& call) {
  ApiResult<Json> policy = ReceiveJsonObject(call.body, PolicyShape());
  if (!policy) return policy;
  for (Json& binding : (*policy)["bindings"]) {
    Json known = Json::object();
    for (const char* name : {"role", "members", "condition"}) {
      if (binding.contains(name)) known[name] = binding[name];
    }
    binding = std::move(known);
  }
  if ((*policy)["bindings"].is_null()) (*policy)["bindings"] = Json::array();
  const auto version = policy->value("version", std::int64_t{0});
  if (version != 0 && version != 1 && version != kVersionWithConditions) return tl::unexpected(InvalidField("version"));
  if (HasConditions((*policy)["bindings"]) && version != kVersionWithConditions) {
    return tl::unexpected(BadRequest("A policy with conditions needs version 3."));
  }
  return policy;
}

}  // namespace

ApiResult<HttpResponse> IamEndpoints::GetBucketPolicy(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  const auto version = Int64Parameter(call.query, "optionsRequestedPolicyVersion");
  if (!version) return tl::unexpected(version.error());
  if (version->value_or(1) < 1) return tl::unexpected(BadParameter("Invalid optionsRequestedPolicyVersion."));
  const BucketInfoPtr info = (*bucket)->info();
  if (version->value_or(1) < kVersionWithConditions && HasConditions(BindingsOf(*info))) {
    return tl::unexpected(BadRequest("The policy has conditions, so optionsRequestedPolicyVersion must be 3."));
  }
  return PolicyResponse(call, *info);
}

ApiResult<HttpResponse> IamEndpoints::SetBucketPolicy(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  const ApiResult<Json> policy = ReadPolicy(call);
  if (!policy) return tl::unexpected(policy.error());
  const Json& bindings = policy->at("bindings");
  const std::string etag = policy->value("etag", "");
  ApiResult<void> checked;
  const auto changed = (*bucket)->ChangeInfo({}, [&](BucketInfo& info) -> Outcome<void> {
    BucketInfo before = info;
    before.metageneration -= 1;
    if (!etag.empty() && etag != BucketEtag(before)) {
      return Fail(FailureKind::kPreconditionFailed, "The policy's etag is not the present one.");
    }
    checked = CheckBindings(info, bindings);
    if (!checked) return Fail(FailureKind::kInvalid, "");
    SetBindings(info, bindings);
    return {};
  });
  if (!checked) return tl::unexpected(checked.error());
  if (!changed) return tl::unexpected(ToApiError(changed.error()));
  return PolicyResponse(call, **changed);
}

ApiResult<HttpResponse> IamEndpoints::TestPermissions(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  const auto generation = Int64Parameter(call.query, "generation");
  if (!generation) return tl::unexpected(generation.error());
  if (!call.route.object.empty()) {
    const auto object = (*bucket)->GetObject({.name = call.route.object, .generation = *generation});
    if (!object) return tl::unexpected(ToApiError(object.error()));
  }
  const std::vector<std::string> asked = call.query.Values("permissions");
  if (asked.empty()) return tl::unexpected(MissingParameter("permissions"));
  const ObjectPlace place = {call.route.bucket, call.route.object, *generation};
  OrderedJson answer = {{"kind", "storage#testIamPermissionsResponse"}};
  for (const std::string& name : asked) {
    if (IsGranted(call, name, place)) answer["permissions"].push_back(name);
  }
  return MaskedResponse(call, answer);
}

}  // namespace gcsflux::emulator
