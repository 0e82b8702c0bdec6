#include "api/post_policy.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/base64.h"
#include "base/letter_case.h"
#include "base/parse_time.h"
#include "json/bounded_json.h"
#include "json/json_shape.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;

// These need no condition: they are the signature, or depend on the document.
constexpr auto kUnconditional =
    std::to_array<std::string_view>({"awsaccesskeyid", "bucket", "file", "googleaccessid", "policy", "signature",
                                     "x-amz-signature", "x-goog-signature"});

tl::unexpected<ApiError> Refuse(const std::string& why) {
  return tl::unexpected(ApiError{400, "invalidPolicyDocument", why});
}

// One condition, with the field's name in lower case.
struct Condition {
  std::string kind = "eq";  // or starts-with, content-length-range
  std::string field = {};
  std::string value = {};
  std::int64_t least = 0, most = 0;
};

// {"acl": "private"}, ["eq" or "starts-with", "$field", "value"] or ["content-length-range", 0, 1000]
std::optional<Condition> ReadCondition(const Json& condition) {
  if (condition.is_object() && condition.size() == 1 && condition.front().is_string()) {
    return Condition{.field = LowerCase(condition.begin().key()), .value = condition.front().get<std::string>()};
  }
  if (!condition.is_array() || condition.size() != 3 || !condition[0].is_string()) return std::nullopt;
  Condition read{.kind = LowerCase(condition[0].get<std::string>())};
  if (read.kind == "content-length-range") {
    const auto least = ToInt64(condition[1]);
    const auto most = ToInt64(condition[2]);
    if (!least || !most) return std::nullopt;
    read.least = *least;
    read.most = *most;
    return read;
  }
  const bool is_known = read.kind == "eq" || read.kind == "starts-with";
  if (!is_known || !condition[1].is_string() || !condition[2].is_string()) return std::nullopt;
  read.field = LowerCase(condition[1].get<std::string>());
  if (!read.field.starts_with('$')) return std::nullopt;
  read.field.erase(0, 1);
  read.value = condition[2].get<std::string>();
  return read;
}

bool IsMet(const Condition& condition, const FormFields& fields, std::uint64_t size) {
  if (condition.kind == "content-length-range") {
    const auto bytes = static_cast<std::int64_t>(size);
    return bytes >= condition.least && bytes <= condition.most;
  }
  const std::string value = FieldOf(fields, condition.field);
  return condition.kind == "eq" ? value == condition.value : value.starts_with(condition.value);
}

bool NeedsCondition(const std::string& field) {
  return !field.starts_with("x-ignore-") &&
         std::find(kUnconditional.begin(), kUnconditional.end(), field) == kUnconditional.end();
}

}  // namespace

std::string FieldOf(const FormFields& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found != fields.end() ? found->second : std::string();
}

ApiResult<void> CheckPostPolicy(std::string_view policy, const FormFields& fields, std::uint64_t size, Time now) {
  const std::optional<std::string> text = DecodeBase64(policy);
  const Json document = text ? ParseBoundedJson(*text) : Json();
  if (!document.is_object()) return Refuse("The policy document is not JSON in base64.");
  const Json expiration = document.value("expiration", Json());
  const std::optional<Time> end = expiration.is_string() ? ParseRfc3339(expiration.get<std::string>()) : std::nullopt;
  if (!end) return Refuse("The policy document has no valid expiration.");
  if (*end <= now) return Refuse("The policy document has expired.");
  const Json conditions = document.value("conditions", Json());
  if (!conditions.is_array()) return Refuse("The policy document has no conditions.");
  std::set<std::string> conditioned;
  for (const Json& each : conditions) {
    const std::optional<Condition> condition = ReadCondition(each);
    if (!condition) return Refuse("A condition is not valid: " + each.dump());
    if (!IsMet(*condition, fields, size)) return Refuse("A condition is not met: " + each.dump());
    conditioned.insert(condition->field);
  }
  for (const auto& [field, value] : fields) {
    if (NeedsCondition(field) && !conditioned.contains(field))
      return Refuse("No condition is about the field " + field);
  }
  return {};
}

}  // namespace gcsflux::emulator
