#include "json_api/iam_endpoints.h"

#include <optional>
#include <string>
#include <vector>

#include "json/json_writer.h"

namespace gcsflux::emulator {
namespace {

bool IsGranted(const ApiCall& call, const std::string& name) {
  if (!call.caller.is_checked()) return true;
  const std::optional<Permission> permission = FindPermission(name);
  return permission && call.caller.May(*permission, call.route.bucket);
}

}  // namespace

ApiResult<HttpResponse> IamEndpoints::TestBucketPermissions(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  const std::vector<std::string> asked = call.query.Values("permissions");
  if (asked.empty()) return tl::unexpected(MissingParameter("permissions"));
  std::vector<std::string> granted;
  for (const std::string& name : asked) {
    if (IsGranted(call, name)) granted.push_back(name);
  }
  JsonWriter json;
  json.BeginObject();
  if (call.fields.Includes("kind")) json.Member("kind", "storage#testIamPermissionsResponse");
  if (call.fields.Includes("permissions") && !granted.empty()) {
    json.Key("permissions");
    json.BeginArray();
    for (const std::string& name : granted) json.String(name);
    json.EndArray();
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace gcsflux::emulator
